// Schemes and values.

package scheme

import (
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
)

// A Scheme is one way to pack a weight, and the rule by which its values are counted.
type Scheme struct {
	Rule string
	Name string // the usual name, unless Values has a more precise one

	Holds parts.Role  // the part that contains the values
	In    parts.Kinds // the dtypes that this part may have
	Needs parts.Role  // a part that must be present as well; parts.Weight if none

	Text   string // the rule as a sentence
	Source string // the specification, or the program that writes such weights

	// count returns the number of values, or false if the module is not packed in this way after all.
	count func(*Module, *Context) (Values, bool)
}

// Values are the values of a packed weight.
type Values struct {
	N    Range
	Bits int64  // of each value; 0 if unknown or different
	Why  string // why N is not exact
	Name string // what the scheme is called, if not by its usual name
}

// A Range is a number between Low and High, which are equal if it is known exactly.
type Range struct{ Low, High int64 }

// Exact reports whether the number is known exactly.
func (r Range) Exact() bool { return r.Low == r.High }

func exactly(n int64) Range { return Range{n, n} }

// one returns the values of a tensor that has one in each element.
func one(t *Tensor) Values { return Values{N: exactly(t.NumElems()), Bits: t.width()} }

// countOne counts one value for each element of the weight.
func countOne(m *Module, _ *Context) (Values, bool) { return one(m.Parts[parts.Weight]), true }

// twice returns the values of a tensor that has two in each byte.
func twice(t *Tensor, name string) Values {
	return Values{N: exactly(clamp.Mul(t.NumElems(), 2)), Bits: 4, Name: name}
}
