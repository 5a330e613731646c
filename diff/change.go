// Changes of tensors.

package diff

import "github.com/weightools/safetensors"

// A Kind is the way in which a tensor differs. If several apply, it is the first one.
type Kind string

// The kinds, in order.
const (
	Removed  Kind = "removed"  // b does not have it
	Added    Kind = "added"    // a does not have it
	Renamed  Kind = "renamed"  // b has the same dtype, shape and bytes under another name
	Reshaped Kind = "reshaped" // it has another shape
	Retyped  Kind = "retyped"  // it has another dtype
	Changed  Kind = "changed"  // it has other bytes
)

// A Change is one tensor that differs.
type Change struct {
	Name string // in a, or in b if it was added
	Kind Kind

	// A and B are the entries in the headers. A is nil if the tensor was added, and B if it was
	// removed.
	A, B *safetensors.TensorInfo

	// SameBytes means that a reshaped or retyped tensor has the same bytes. It is only set if
	// bytes were compared.
	SameBytes bool

	// Values is the difference of the values. It is nil unless values were compared, which
	// requires equal shapes.
	Values *Values
}

// Within reports whether only values or the dtype differ, and all values are within the tolerance.
func (c *Change) Within() bool {
	return (c.Kind == Changed || c.Kind == Retyped) && c.Values != nil && c.Values.Beyond == 0
}
