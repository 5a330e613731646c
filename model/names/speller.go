// Names of a checkpoint, as a form spells them.

package names

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// Speller returns a function that returns a name of the part as the form spells it: without wrappers, the container and
// Extra, and with what Lacks. Its result is not known if neither the name nor, for a part of a packed weight, that of
// the weight is in the table.
func (f *Fit) Speller() func(name string) (spelled string, known bool) {
	t := tables()
	body, outside := make(map[string]bool), make(map[string]bool)
	for i := range f.table.entries {
		if e := &f.table.entries[i]; e.body {
			body[e.key] = true
		} else {
			outside[e.key] = true
		}
	}
	return func(name string) (string, bool) {
		bare := t.unwrap(name, func(*Wrapper) {})
		bare, ok := strings.CutPrefix(bare, f.part.Container)
		if !ok {
			return "", false
		}
		if rest, ok := strings.CutPrefix(bare, f.prefix); ok && hasKey(body, rest) {
			return f.table.prefix + rest, true
		}
		if rest, ok := strings.CutPrefix(bare, f.head); ok && hasKey(outside, rest) {
			return rest, true
		}
		return bare, false
	}
}

// hasKey reports whether a set of patterns has that of a name, or of the weight of which it is a part.
func hasKey(set map[string]bool, name string) bool {
	key := Pattern(name)
	if set[key] {
		return true
	}
	module, role := parts.Split(key)
	return role != parts.Weight && module != "" && set[module+".weight"]
}

// Unwrap returns a name without the wrappers that mean one anywhere in a name.
func Unwrap(name string) string { return tables().unwrap(name, func(*Wrapper) {}) }
