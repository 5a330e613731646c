// What a policy may allow.

package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

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
	if dangerousTarget(name) != "" {
		return fmt.Errorf("%s is an alias of a dangerous name and cannot be allowed", wording.Quote(word))
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
