// Differences in metadata.

package listing

import (
	"bufio"
	"maps"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A KeyChange is a difference in one key of the metadata. A missing value is nil.
type KeyChange struct {
	Key string  `json:"key"`
	A   *string `json:"a"`
	B   *string `json:"b"`
}

// KeyChanges returns the keys whose values differ between a and b, sorted.
func KeyChanges(a, b map[string]string) (list []KeyChange) {
	keys := make(map[string]string, len(a))
	maps.Copy(keys, a)
	maps.Copy(keys, b)
	value := func(m map[string]string, key string) *string {
		if v, ok := m[key]; ok {
			return &v
		}
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if c := (KeyChange{key, value(a, key), value(b, key)}); c.A == nil || c.B == nil || *c.A != *c.B {
			list = append(list, c)
		}
	}
	return list
}

// WriteKeyChanges writes the old and the new value of each key, one on each line.
func WriteKeyChanges(w *bufio.Writer, s typeset.Style, list []KeyChange) {
	const room = 24 // columns, for signs and the size of a value
	for _, c := range list {
		name := typeset.Name(c.Key)
		if s.Terminal() {
			name = typeset.Middle(name, max(s.Width-room, 1))
		}
		line := func(sign, color string, value *string) {
			if value != nil {
				w.WriteString("  " + s.Paint(color, sign+" "+name) + ": " +
					ShortValue(s, len("  - : ")+typeset.Width(name), *value, false) + "\n")
			}
		}
		line("-", typeset.Red, c.A)
		line("+", typeset.Green, c.B)
	}
	w.WriteByte('\n')
}
