// Package block decodes the blocks of the tensor types of GGUF.
//
// A type of this package stores a row of a tensor as a sequence of blocks, each of which holds a fixed number of
// elements. All values are products and sums of float32; every product but that of Q8_K is exact, so the results are
// those of every conforming decoder, whatever its order of operations.
//
// The layouts are those of ggml (ggml-common.h and ggml-quants.c of llama.cpp b11434).
package block

// A Type is a tensor type whose elements are stored in blocks. It is immutable.
type Type struct {
	ID       uint32 // in files
	Name     string
	Elements int // of a block
	Bytes    int // of a block

	// decode decodes one block. The lengths of its arguments are Elements and Bytes.
	decode func(dst []float32, b []byte)

	// halves are the offsets of numbers in F16 in a block, which files in big-endian byte order reverse. They are nil
	// if no program defines the byte order of the type.
	halves []int
}

// Find returns the type with an ID. It returns nil for types without blocks, and for unknown types.
func Find(id uint32) *Type {
	for i := range types {
		if types[i].ID == id {
			return &types[i]
		}
	}
	return nil
}

// All returns all types, by ID. The caller must not change them.
func All() []Type { return types[:] }

// types are the types of ggml. The byte orders are those of gguf_convert_endian.py in llama.cpp. The IDs that are
// missing are those of types without blocks, or of types that were removed.
var types = [...]Type{
	{2, "Q4_0", 32, 18, q4_0, []int{0}},
	{3, "Q4_1", 32, 20, q4_1, nil},
	{6, "Q5_0", 32, 22, q5_0, nil},
	{7, "Q5_1", 32, 24, q5_1, nil},
	{8, "Q8_0", 32, 34, q8_0, []int{0}},
	{9, "Q8_1", 32, 36, q8_1, nil},
	{10, "Q2_K", 256, 84, q2K, nil},
	{11, "Q3_K", 256, 110, q3K, nil},
	{12, "Q4_K", 256, 144, q4K, []int{0, 2}},
	{13, "Q5_K", 256, 176, q5K, nil},
	{14, "Q6_K", 256, 210, q6K, []int{208}},
	{15, "Q8_K", 256, 292, q8K, nil},
	{16, "IQ2_XXS", 256, 66, iq2xxs, nil},
	{17, "IQ2_XS", 256, 74, iq2xs, nil},
	{18, "IQ3_XXS", 256, 98, iq3xxs, nil},
	{19, "IQ1_S", 256, 50, iq1s, nil},
	{20, "IQ4_NL", 32, 18, iq4nl, nil},
	{21, "IQ3_S", 256, 110, iq3s, nil},
	{22, "IQ2_S", 256, 82, iq2s, nil},
	{23, "IQ4_XS", 256, 136, iq4xs, nil},
	{29, "IQ1_M", 256, 56, iq1m, nil},
	{34, "TQ1_0", 256, 54, tq1_0, nil},
	{35, "TQ2_0", 256, 66, tq2_0, []int{64}},
	{39, "MXFP4", 32, 17, mxfp4, []int{}},
	{40, "NVFP4", 64, 36, nvfp4, []int{}},
	{41, "Q1_0", 128, 18, q1_0, []int{0}},
	{42, "Q2_0", 64, 18, q2_0, nil},
}

// Decode decodes whole blocks of src, and fills dst. It panics if dst is not as long as the elements of src.
func (t *Type) Decode(dst []float32, src []byte) {
	for len(dst) > 0 {
		t.decode(dst[:t.Elements:t.Elements], src[:t.Bytes:t.Bytes])
		dst, src = dst[t.Elements:], src[t.Bytes:]
	}
}

// BigEndian reports whether the byte order of the type in big-endian files is known.
func (t *Type) BigEndian() bool { return t.halves != nil }

// Reverse changes whole blocks from big-endian to little-endian byte order, or back.
func (t *Type) Reverse(b []byte) {
	for ; len(b) >= t.Bytes; b = b[t.Bytes:] {
		for _, at := range t.halves {
			b[at], b[at+1] = b[at+1], b[at]
		}
	}
}
