// Packed weights.

package viewer

import (
	"context"

	"github.com/weightools/safetensors"
)

// views returns the ways to see a tensor, the usual one first.
func (o *opened) views(_ context.Context, _ int) []string { return []string{asStored} }

// weight returns the weight that a tensor is a part of.
func (o *opened) weight(_ context.Context, id int) (*safetensors.Tensor, func(), error) {
	return nil, nil, wrong("%s is not a part of a packed weight", quoted(o.row(id).Name))
}

// weightJSON describes the weight that a tensor is a part of; nil if there is none.
func (o *opened) weightJSON(_ context.Context, _ int) any { return nil }

// isPacked reports whether a tensor is a part of a packed weight.
func (o *opened) isPacked(_ int) bool { return false }

// isCompanion reports whether a tensor is a part of a packed weight other than its first one.
func (o *opened) isCompanion(_ int) bool { return false }

// hasPacked reports whether the target has packed weights.
func (o *opened) hasPacked() bool { return false }
