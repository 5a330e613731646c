// Why a set is a copy of another.

package contents

// Evidence is the reason why a set is a copy of another, "" if it is not.
type Evidence string

// The values of Evidence.
const (
	Variant Evidence = "variant"  // model.fp16.safetensors and model.safetensors
	Whole   Evidence = "whole"    // model.safetensors and model.safetensors.index.json
	Makers  Evidence = "makers'"  // consolidated.safetensors or original/, and model.safetensors
	Equal   Evidence = "the same" // byte for byte
)

// Facts are what the headers of a set contain.
type Facts struct {
	Held   Contents
	Sizes  []int64 // of the shards in bytes; nil if there are none, or some are unknown
	Broken bool
	shapes Shapes // nil until they are needed
}

// Agrees reports whether the tensors of two sets confirm the evidence of their names.
func (e Evidence) Agrees(a, b *Facts) bool {
	switch e {
	case Variant:
		return SameTensors(a.Held, b.Held)
	case Whole:
		n := len(a.Held)
		return n > 0 && n == len(b.Held) && InCommon(a.Held, b.Held) == n
	case Makers:
		return SameTensors(a.Held, b.Held) || SameShapes(a.byShape(), b.byShape())
	}
	return false
}

// byShape returns the set's tensors by shape. They are counted once.
func (one *Facts) byShape() Shapes {
	if one.shapes == nil {
		one.shapes = ShapesOf(one.Held)
	}
	return one.shapes
}
