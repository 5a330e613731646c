// Metadata of several files, combined.

package shards

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
)

// Conflicts says which value wins where inputs have different values of one metadata
// key. "" makes that a *[MetadataError].
type Conflicts string

// The ways to resolve conflicts.
const (
	KeepFirst Conflicts = "first" // the value of the first input
	KeepLast  Conflicts = "last"  // the value of the last input
	DropBoth  Conflicts = "drop"  // no value
)

// A MetadataError says that two inputs have different values of one metadata key.
type MetadataError struct {
	Where         string    // "__metadata__", or "the metadata of the index"
	Key           string    // of both values
	Files, Values [2]string // as inputs are named, and what they have
}

// Error describes the conflict in one line, and shortens long values.
func (e *MetadataError) Error() string {
	return fmt.Sprintf("shards: %s has different values of %s: %s in %s, and %s in %s", e.Where, wording.Quote(e.Key),
		shortly(e.Values[0]), wording.Quote(e.Files[0]), shortly(e.Values[1]), wording.Quote(e.Files[1]))
}

// shortly quotes a value for a message, and shortens it: some are pages long.
func shortly(value string) string {
	const most = 40 // bytes at each end
	if len(value) > 2*most {
		value = value[:most] + "..." + value[len(value)-most:]
	}
	return wording.Quote(value)
}

// A blend is the values of several files by their keys.
type blend struct {
	where   string
	choice  Conflicts
	values  map[string]string // nil if no file has any
	from    map[string]string // the file of each value
	dropped map[string]bool
}

// add adds the values of one file.
func (b *blend) add(file string, values map[string]string) error {
	if values == nil {
		return nil
	}
	if b.values == nil {
		b.values, b.from, b.dropped = make(map[string]string), make(map[string]string), make(map[string]bool)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) { // so that errors do not vary
		value := values[key]
		was, known := b.values[key]
		switch {
		case b.dropped[key], known && was == value, known && b.choice == KeepFirst:
			continue
		case known && b.choice == DropBoth:
			delete(b.values, key)
			b.dropped[key] = true
			continue
		case known && b.choice != KeepLast:
			return &MetadataError{b.where, key, [2]string{b.from[key], file}, [2]string{was, value}}
		}
		b.values[key], b.from[key] = value, file
	}
	return nil
}
