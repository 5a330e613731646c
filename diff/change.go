// Changes: what became of one tensor.

package diff

import "github.com/weightools/safetensors"

// A Kind says in what a tensor differs. Of several it is the first.
type Kind string

// The kinds, in the order in which a tensor is looked at.
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

	// A and B are what headers say of it. A is nil if it was added, B if it was
	// removed.
	A, B *safetensors.TensorInfo

	// SameBytes says of one that is reshaped or retyped that its bytes are the same
	// all the same, where bytes were compared.
	SameBytes bool

	// Values is how far its values are from what they were. It is nil unless values
	// were compared, which they can be where shapes are equal.
	Values *Values
}

// Within says whether all that differs are values, or the dtype, and the values are
// within the tolerance.
func (c *Change) Within() bool {
	return (c.Kind == Changed || c.Kind == Retyped) && c.Values != nil && c.Values.Beyond == 0
}
