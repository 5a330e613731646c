// Schemes and values.

package scheme

import (
	"fmt"

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

	// count returns the number of values, or false if the module is not packed in this way after all. The number is
	// exact only if the shapes of the companions prove it.
	count func(*Module, *Context) (Values, bool)
}

// Values are the values of a packed weight.
type Values struct {
	N    Range
	Bits int64  // of each value; 0 if unknown or different
	Why  string // why N is not exact
	Name string // what the scheme is called, if not by its usual name
	In   int64  // the inputs of the module, if their number follows from the packed values; otherwise 0

	Fault    Finding    // how the shapes contradict each other; then N is not exact
	Conflict Finding    // how the shapes contradict the configuration
	Lacks    parts.Role // a companion without which the values cannot be unpacked; parts.Weight if none
}

// A Finding is something wrong with a packed weight. The zero Finding is none.
type Finding struct {
	Kind string // the same for all modules with the same kind of fault
	Text string
}

// found returns a Finding. The format is its kind.
func found(format string, args ...any) Finding { return Finding{format, fmt.Sprintf(format, args...)} }

// A Range is a number between Low and High, which are equal if it is known exactly.
type Range struct{ Low, High int64 }

// Exact reports whether the number is known exactly.
func (r Range) Exact() bool { return r.Low == r.High }

func exactly(n int64) Range { return Range{n, n} }

// one returns the values of a tensor that has one in each element.
func one(t *Tensor, name string) Values {
	return Values{N: exactly(t.NumElems()), Bits: t.width(), Name: name}
}

// twice returns the values of a tensor that has two in each byte.
func twice(t *Tensor, name string) Values {
	return Values{N: exactly(clamp.Mul(t.bytes(), 2)), Bits: 4, Name: name}
}

// unproven returns the values of a tensor about whose companions something is unusual: from 2 to 8 bits for each
// value.
func unproven(t *Tensor, name, why string) Values {
	return Values{N: Range{t.bytes(), clamp.Mul(t.bytes(), 4)}, Name: name, Why: why}
}

// broken returns the values of a tensor that its companions contradict.
func broken(t *Tensor, name, format string, args ...any) Values {
	v := unproven(t, name, "")
	v.Fault = found(format, args...)
	v.Why = v.Fault.Text
	return v
}

// lacking returns the values of a tensor that cannot be unpacked without a companion.
func lacking(t *Tensor, companion parts.Role) Values {
	v := unproven(t, "", "its "+companion.String()+" are missing")
	v.Lacks = companion
	return v
}

// unless returns v, or a range if why is not empty.
func (v Values) unless(t *Tensor, why string) Values {
	if why == "" {
		return v
	}
	loose := unproven(t, v.Name, why)
	loose.Conflict = v.Conflict
	return loose
}
