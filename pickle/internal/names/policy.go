// Policies: what a user adds to the lists.

package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// A Policy is the built-in lists and what a user adds to them.
type Policy struct {
	allow, deny additions
	profiles    []*Profile
}

// none is the policy that adds nothing.
var none = &Policy{}

// New returns a policy. Names of profiles that do not exist are passed over.
func New(profiles, allow, deny []string) *Policy {
	c := &Policy{allow: additionsOf(allow), deny: additionsOf(deny)}
	for _, name := range profiles {
		if p := builtin().profile(name); p != nil {
			c.profiles = append(c.profiles, p)
		}
	}
	return c
}

// additions are names, and trees with their ".*".
type additions map[string]bool

// additionsOf makes a list of names one that can be asked.
func additionsOf(names []string) additions {
	a := additions{}
	for _, name := range names {
		a[name] = true
	}
	return a
}

// cover returns the name, or the tree that it is in.
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

// check returns an error if word is not a dotted name or a tree of them.
func check(word string) error {
	for part := range strings.SplitSeq(strings.TrimSuffix(word, ".*"), ".") {
		if part == "" || strings.Contains(part, "*") {
			return fmt.Errorf("%s is neither a dotted name nor one with .* at its end", wording.Quote(word))
		}
	}
	return nil
}

// never are the families of which no name can be allowed by a policy.
var never = []string{"process", "code", "interpreter", "loader", "scanner"}

// MayAllow returns an error if a policy may not allow word: by a tree nothing
// that the lists call dangerous, by name nothing that is dangerous in itself.
func MayAllow(word string) error {
	if err := check(word); err != nil {
		return err
	}
	name, tree := strings.CutSuffix(word, ".*")
	j := none.judge(name)
	if tree {
		if j.Level == Dangerous || builtin().dangerousIn(name) {
			return fmt.Errorf("%s has dangerous names in it: allow the others by name", wording.Quote(word))
		}
		return nil
	}
	if j.Level == Dangerous && (j.Entry == nil || !j.Entry.tree || slices.Contains(never, j.Entry.family)) {
		return fmt.Errorf("%s is dangerous in itself, and cannot be allowed", wording.Quote(word))
	}
	return nil
}

// dangerousIn is whether a tree has something dangerous in it.
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
