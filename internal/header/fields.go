// The members of an entry: which there are, and where they are kept.

package header

import "strings"

// A field is one of the three members of an entry, or a set of them.
type field uint8

const (
	fieldDtype field = 1 << iota
	fieldShape
	fieldOffsets
	allFields = fieldDtype | fieldShape | fieldOffsets
)

var fieldNames = [...]struct {
	field field
	name  string
}{{fieldDtype, "dtype"}, {fieldShape, "shape"}, {fieldOffsets, "data_offsets"}}

// fieldOf returns the field of the given name, or 0.
func fieldOf(name string) field {
	for _, f := range fieldNames {
		if f.name == name {
			return f.field
		}
	}
	return 0
}

// String lists the fields of a set, as in "dtype, no shape".
func (f field) String() string {
	var names []string
	for _, one := range fieldNames {
		if f&one.field != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, ", no ")
}

// A rawEntry is an entry with its offsets in 64 bits.
type rawEntry struct {
	info       Info
	begin, end uint64
	have, good field // the fields that are present, and those that are well-formed
	surplus    bool  // the entry is an array of more than three elements
}
