// Policies: the user's additions to the lists.

package names

import (
	"fmt"
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
