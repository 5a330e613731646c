// Modules: the tensors that are parts of one packed weight.

package model

import (
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// A Verdict is what was found out about a tensor.
type Verdict struct {
	Rule   Rule
	Scheme string // what the packing is called; "" if there is none
	Params Range  // logical parameters
	Bits   int64  // that each value takes; 0 if that is not known, or differs
	Why    string // why Params is not exact; "" if it is
	Twin   string // the tensor that has the same parameters already; "" if there is none
}

// An entry is a tensor of the model.
type entry struct {
	Verdict
	ti   *safetensors.TensorInfo
	file int32
	next int32 // the next entry of the same module, -1 if there is none
	role role
	kind dtypes
}

// stored returns the number of elements.
func (e *entry) stored() int64 { return product(e.ti.Shape) }

// A module is what is stored of one packed weight: an entry for each role, as far
// as there is one.
type module struct {
	name  string
	parts [roleCount]*entry
	files []File
	notes *notes
	texts map[*entry][]byte // the data of those parts that were read
}

func (m *module) has(r role) bool { return m.parts[r] != nil }

// shape returns the shape of a part, nil if there is none that can be counted with.
func (m *module) shape(r role) []int64 {
	if m.parts[r] == nil || !countable(m.parts[r].ti.Shape) {
		return nil
	}
	return m.parts[r].ti.Shape
}

// countable says whether a shape was read, and has no more elements than 2^63-1 nor a
// dimension above that, which stands there as a negative one.
func countable(shape []int64) bool {
	return shape != nil && product(shape) < math.MaxInt64 && !slices.ContainsFunc(shape, func(d int64) bool { return d < 0 })
}

// stored returns the number of elements of a part, 0 if there is none.
func (m *module) stored(r role) int64 {
	if m.parts[r] == nil {
		return 0
	}
	return m.parts[r].stored()
}

// is says whether there is a part of one of the given dtypes.
func (m *module) is(r role, k dtypes) bool { return m.parts[r] != nil && m.parts[r].kind&k != 0 }

// holds says whether there is a part that can have the values of a scheme.
func (m *module) holds(s *scheme) bool {
	return m.is(s.holds, s.in) && countable(m.parts[s.holds].ti.Shape) && (s.needs == weight || m.has(s.needs))
}

// text returns the data of a part that was read, or nil.
func (m *module) text(r role) []byte {
	if m.parts[r] == nil {
		return nil
	}
	return m.texts[m.parts[r]]
}

// routed says whether the module is one of the experts among which a router
// chooses. The words are those of huggingface.js, isRoutedExpertTensor.
func (m *module) routed() bool {
	return strings.Contains(m.name, ".experts.") && !strings.Contains(m.name, "shared_experts")
}

// head says whether the module makes the output, as large as the vocabulary.
func (m *module) head() bool { return m.name == "lm_head" || strings.HasSuffix(m.name, ".lm_head") }

// dtypes is a set of kinds of dtypes.
type dtypes uint16

const (
	isU8 dtypes = 1 << iota
	isI8
	is16 // integers of 16 bits
	is32 // integers of 32 bits
	is64 // integers of 64 bits
	isBool
	isF8   // floats of 8 bits, but for scales
	isE8M0 // scales
	isF4   // floats of 4 and 6 bits
	isFloat
	isUnheard // dtypes that are not known

	is8       = isU8 | isI8
	isInteger = is8 | is16 | is32
	isAny     = isUnheard<<1 - 1
)

// kindOf returns the kind of a dtype.
func kindOf(d safetensors.Dtype) dtypes {
	switch d {
	case safetensors.BF16, safetensors.F16, safetensors.F32, safetensors.F64, safetensors.C64:
		return isFloat
	case safetensors.U8:
		return isU8
	case safetensors.I8:
		return isI8
	case safetensors.I32, safetensors.U32:
		return is32
	case safetensors.I16, safetensors.U16:
		return is16
	case safetensors.I64, safetensors.U64:
		return is64
	case safetensors.BOOL:
		return isBool
	case safetensors.F8_E4M3, safetensors.F8_E5M2, safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ:
		return isF8
	case safetensors.F8_E8M0:
		return isE8M0
	case safetensors.F4, safetensors.F6_E2M3, safetensors.F6_E3M2:
		return isF4
	}
	return isUnheard
}

// width returns how many bits an element takes that holds packed values.
func (e *entry) width() int64 { return int64(e.ti.Dtype.Bits()) }
