// Policies: the user's additions to the lists.

package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// A Policy is the built-in lists with the user's additions.
type Policy struct {
	allow, deny additions
	profiles    []*Profile
}

// none is the policy without additions.
var none = &Policy{}

// New returns a policy. It ignores unknown profiles.
func New(profiles, allow, deny []string) *Policy {
	c := &Policy{allow: additionsOf(allow), deny: additionsOf(deny)}
	for _, name := range profiles {
		if p := builtin().profile(name); p != nil {
			c.profiles = append(c.profiles, p)
		}
	}
	return c
}

// additions are names, and trees that end in ".*".
type additions map[string]bool

// additionsOf converts a list of names to a set.
func additionsOf(names []string) additions {
	a := additions{}
	for _, name := range names {
		a[name] = true
	}
	return a
}

// cover returns the entry that contains the name: the name itself or a tree.
func (a additions) cover(name string) (string, bool) {
	if len(a) == 0 {
		return "", false
	}
	if a[name] {
		return name, true
	}
	for prefix := range prefixes(name) {
		if a[prefix+".*"] {
			return prefix + ".*", true
		}
	}
	return "", false
}

// check returns an error if word is not a dotted name or a tree.
func check(word string) error {
	for part := range strings.SplitSeq(strings.TrimSuffix(word, ".*"), ".") {
		if part == "" || strings.Contains(part, "*") {
			return fmt.Errorf("%s is not a dotted name, optionally followed by .*", wording.Quote(word))
		}
	}
	return nil
}

// never lists the families whose names a policy cannot allow.
var never = []string{"process", "code", "interpreter", "loader", "scanner"}

// MayAllow returns an error if a policy must not allow word: a tree that contains a dangerous name, or a name that is
// dangerous by itself.
func MayAllow(word string) error {
	if err := check(word); err != nil {
		return err
	}
	name, tree := strings.CutSuffix(word, ".*")
	j := none.judge(name)
	if tree {
		if j.Level == Dangerous || builtin().dangerousIn(name) {
			return fmt.Errorf("%s contains dangerous names: allow the others by name", wording.Quote(word))
		}
		return nil
	}
	if j.Level == Dangerous && (j.Entry == nil || !j.Entry.tree || slices.Contains(never, j.Entry.family)) {
		return fmt.Errorf("%s is dangerous and cannot be allowed", wording.Quote(word))
	}
	return nil
}

// dangerousIn reports whether a tree contains a dangerous name.
func (l *lists) dangerousIn(name string) bool {
	for _, m := range []map[string]*Entry{l.exact, l.trees} {
		for n, e := range m {
			if e.level == Dangerous && strings.HasPrefix(n, name+".") {
				return true
			}
		}
	}
	return false
}
