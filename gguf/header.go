// What precedes the data of a file.

package gguf

import (
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf/internal/block"
	"github.com/weightools/safetensors/internal/header"
)

// A Header is what precedes the data of a file.
type Header struct {
	Version   int
	BigEndian bool
	Keys      []Key        // in the order of the file
	Tensors   []TensorInfo // in the order of the file
	Alignment int64        // of the data and of each tensor in it, in bytes
	End       int64        // the offset where the entries of the tensors end, and padding begins
	DataStart int64        // the offset of the data in the file

	keys map[string]int // indices of Keys
}

// Find returns the value of a key. If the key occurs more than once, the first counts.
func (h *Header) Find(key string) (Value, bool) {
	i, ok := h.keys[key]
	if !ok {
		return Value{}, false
	}
	return h.Keys[i].Value, true
}

// A TensorInfo describes a tensor of a file.
type TensorInfo struct {
	Name string
	Type Type

	// Dims are the dimensions as in the file: the first is the length of a row. Shape has them in the usual order.
	Dims []int64

	// Span are the bytes of the tensor in the file. Those of an unknown type end where the next tensor begins, or where
	// the file ends. They are empty for a tensor with an invalid shape or offset.
	Span safetensors.Span

	entry  safetensors.Span // the bytes that describe the tensor
	offset uint64           // in the data
	size   int64            // in bytes, -1 if it is not known
}

// Shape returns the dimensions from the slowest to the fastest, as the shapes of safetensors and PyTorch.
func (t *TensorInfo) Shape() []int64 {
	shape := slices.Clone(t.Dims)
	slices.Reverse(shape)
	return shape
}

// NumElems returns the number of elements. It is 0 for invalid shapes.
func (t *TensorInfo) NumElems() int64 {
	if n, ok := product(t.Dims); ok {
		return n
	}
	return 0
}

// A Type is the type of a tensor, as a number in files.
type Type uint32

// Type numbers of elements that are stored one by one.
const (
	typeF32  Type = 0
	typeF16  Type = 1
	typeI8   Type = 24
	typeI16  Type = 25
	typeI32  Type = 26
	typeI64  Type = 27
	typeF64  Type = 28
	typeBF16 Type = 30
)

// Dtype returns the dtype of a type whose elements are stored one by one, and "" for all others.
func (t Type) Dtype() safetensors.Dtype {
	switch t {
	case typeF32:
		return safetensors.F32
	case typeF16:
		return safetensors.F16
	case typeBF16:
		return safetensors.BF16
	case typeF64:
		return safetensors.F64
	case typeI8:
		return safetensors.I8
	case typeI16:
		return safetensors.I16
	case typeI32:
		return safetensors.I32
	case typeI64:
		return safetensors.I64
	}
	return ""
}

// String returns the name of the type, such as "Q4_K". Types of forks of llama.cpp have a name and their number.
func (t Type) String() string {
	if d := t.Dtype(); d != "" {
		return string(d)
	}
	if b := block.Find(uint32(t)); b != nil {
		return b.Name
	}
	if name := forkTypes[t]; name != "" {
		return fmt.Sprintf("%s (type %d)", name, uint32(t))
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Known reports whether the type is one of ggml's, so that its tensors can be read.
func (t Type) Known() bool { return t.Dtype() != "" || block.Find(uint32(t)) != nil }

// Block returns the number of elements in a block of the type and its size in bytes. They are 0 for unknown types.
func (t Type) Block() (elements, bytes int) {
	if d := t.Dtype(); d != "" {
		return 1, d.Bits() / 8
	}
	if b := block.Find(uint32(t)); b != nil {
		return b.Elements, b.Bytes
	}
	return 0, 0
}

// forkTypes are the types of forks in published files, which llama.cpp does not have, and those that it has removed.
// Their numbers are from public discussions, bitnet.cpp and ik_llama.cpp.
var forkTypes = map[Type]string{
	4: "Q4_2", 5: "Q4_3", 31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8", 36: "I2_S or IQ4_NL_4_4", 37: "IQ4_NL_4_8",
	38: "IQ4_NL_8_8", 133: "Q6_0", 134: "IQ1_BN", 135: "IQ2_BN", 137: "IQ2_K", 138: "IQ3_K", 139: "IQ4_K", 140: "IQ5_K",
	141: "IQ6_K", 144: "IQ4_KS", 145: "IQ2_KS", 146: "IQ4_KSS", 152: "IQ5_KS", 153: "IQ2_KT", 154: "IQ3_KT",
	155: "IQ4_KT", 156: "IQ3_KS", 157: "IQ2_KL", 158: "IQ1_KT",
}

// ShapeString returns the shape as text, such as "[4096, 14336]".
func (t *TensorInfo) ShapeString() string {
	shaped := safetensors.TensorInfo{Shape: t.Shape()}
	return shaped.ShapeString()
}

// product returns the number of elements, and false if a dimension is invalid or the number exceeds 63 bits.
func product(dims []int64) (int64, bool) {
	if slices.ContainsFunc(dims, func(d int64) bool { return d < 0 }) {
		return 0, false
	}
	n, ok := header.Product(dims)
	return int64(n), ok && n <= math.MaxInt64
}
