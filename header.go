// Headers and their entries.

package safetensors

import (
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/header"
)

// MaxHeaderSize is the largest header in bytes that readers accept. It is the
// limit of the reference implementation.
const MaxHeaderSize = 100_000_000

const (
	lengthSize   = header.LengthSize
	metadataName = header.MetadataName
)

// A Header is the content of a file's header. It may be used by several
// goroutines at once as long as none changes it.
type Header struct {
	// Metadata is the free-form "__metadata__", or nil.
	Metadata map[string]string

	// Tensors has an entry for each tensor, in the header's order.
	Tensors []TensorInfo

	// Size is N, the length in bytes of the JSON text including its padding.
	Size int64

	// byName has the indices of Tensors in the order of their names, if indexed.
	// It is nil if that is their own order.
	byName  []uint32
	indexed bool
}

// A TensorInfo is one entry of a Header.
type TensorInfo struct {
	Name  string
	Dtype Dtype

	// Shape has the dimensions in elements, outermost first. It is empty for a
	// scalar. It must not be changed, since tensors of a header may share it. A
	// dimension above 2^63-1, which the format allows in a tensor without
	// elements, is the int64 with the same 64 bits.
	Shape []int64

	// Offsets are the "data_offsets": the tensor's bytes, counted from the
	// start of the data. They begin at 0 if the tensor is not in a file.
	Offsets Span

	// Entry is the tensor's entry in the header, from the quote before the name
	// to the closing brace, counted from the start of the file. It is zero if
	// the tensor is not in a file.
	Entry Span
}

// NumElems returns the number of elements: the product of the dimensions, which
// is 1 for a scalar. It is 0 if the product overflows an int64, which cannot
// happen in a valid file.
func (ti *TensorInfo) NumElems() int64 {
	n, fits := header.Product(ti.Shape)
	if !fits || n > 1<<63-1 {
		return 0
	}
	return int64(n)
}

// Size returns the size in bytes.
func (ti *TensorInfo) Size() int64 { return ti.Offsets.Len() }

// ShapeString returns the shape as in "[4096, 11008]".
func (ti *TensorInfo) ShapeString() string { return header.ShapeString(ti.Shape) }

// DataStart returns the offset in the file at which the data begins: 8 +
// h.Size.
func (h *Header) DataStart() int64 { return clamp.Add(lengthSize, h.Size) }

// FileSpan returns the bytes of ti, which is one of h's tensors, counted from
// the start of the file.
func (h *Header) FileSpan(ti *TensorInfo) Span { return ti.Offsets.shift(h.DataStart()) }

// Lookup returns the entry of the named tensor, or nil. It takes a binary
// search if h was read, and a linear search if it was made by hand.
func (h *Header) Lookup(name string) *TensorInfo {
	if !h.indexed || h.byName != nil && len(h.byName) != len(h.Tensors) {
		for i := range h.Tensors {
			if h.Tensors[i].Name == name {
				return &h.Tensors[i]
			}
		}
		return nil
	}
	lo, hi := 0, len(h.Tensors)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		i := mid
		if h.byName != nil {
			i = int(h.byName[mid])
		}
		switch strings.Compare(h.Tensors[i].Name, name) {
		case 0:
			return &h.Tensors[i]
		case -1:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil
}
