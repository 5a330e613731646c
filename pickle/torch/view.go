// Views: the position of a tensor in its storage, and checks of its bounds.

package torch

import (
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/dtypes"
	"github.com/weightools/safetensors/pickle/internal/strided"
)

// maxRank is the maximum number of dimensions, PyTorch's own limit for most operations.
const maxRank = strided.MaxRank

// A view is a tensor in PyTorch's representation. Its element at index (i, j, …) is the element
// offset + i·stride[0] + j·stride[1] + … of a storage.
type view struct {
	storage       *storage
	dtype         safetensors.Dtype
	offset        int64 // in elements, like all fields here
	shape, stride []int64

	elements int64 // total number
	last     int64 // index of the highest element in the storage

	// A tensor that is computed from others has its data and the records of the sources here.
	made    io.ReaderAt
	records []*record
	beside  []beside // tensors that belong to this one
	part    *Part    // which part of a distributed tensor it is, or nil
}

// A beside is a tensor that accompanies another one. Its name has a suffix.
type beside struct {
	suffix string
	*view
}

// width returns the element size in bytes.
func (v *view) width() int64 { return int64(v.dtype.Bits() / 8) }

// size returns the total size in bytes.
func (v *view) size() int64 { return v.elements * v.width() }

// check returns an error for invalid numbers and for a view that exceeds its storage. It sets elements and last.
func (v *view) check() error {
	if len(v.shape) != len(v.stride) {
		return refuse("the tensor has %d dimensions but %d strides", len(v.shape), len(v.stride))
	}
	v.elements, v.last = 1, v.offset
	empty := false
	for i, n := range v.shape {
		if n < 0 || v.stride[i] < 0 || v.offset < 0 {
			return refuse("a dimension, stride or offset is negative")
		}
		empty = empty || n == 0
	}
	if empty {
		v.elements = 0
		return nil // no elements
	}
	for i, n := range v.shape {
		var ok bool
		if v.elements, ok = product(v.elements, n); !ok {
			return refuse("the number of elements overflows 63 bits")
		}
		step, ok := product(n-1, v.stride[i])
		if !ok || step > math.MaxInt64-1-v.last {
			return refuse("the strides exceed any storage")
		}
		v.last += step
	}
	if _, ok := product(v.elements, v.width()); !ok {
		return refuse("the number of bytes overflows 63 bits")
	}
	if have := v.storage.size / v.width(); v.last >= have {
		return refuse("the last element has index %d in storage %s, which has %d elements (%s)",
			v.last, quoted(v.storage.key), have, wording.Count(v.storage.size, "byte"))
	}
	return nil
}

// product returns a * b; ok is false if it overflows.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), a >= 0 && b >= 0 && high == 0 && low <= math.MaxInt64
}

// contiguous reports whether the elements are stored as in a safetensors file: in row-major order, without gaps.
func (v *view) contiguous() bool {
	inner := int64(1)
	for i := len(v.shape) - 1; i >= 0; i-- {
		if v.shape[i] != 1 && v.stride[i] != inner {
			return false
		}
		inner *= v.shape[i]
	}
	return true
}

// swaps reports whether the bytes of elements must be reversed.
func (v *view) swaps() bool { return v.storage.big && v.width() > 1 }

// mostOutOfOrder is the maximum size of a compressed storage whose elements are read out of order. It is decompressed
// again for each MiB.
const mostOutOfOrder = 64 << 20

// reader returns the tensor's data. If no conversion is needed, the reader is a section of the file, which lets
// programs use the system to copy it.
func (v *view) reader() (io.ReaderAt, error) {
	st, w := v.storage, v.width()
	switch {
	case v.elements == 0:
		return strings.NewReader(""), nil
	case v.made != nil:
		return v.made, nil
	case v.contiguous() && !v.swaps():
		return io.NewSectionReader(st.r, st.base+v.offset*w, v.size()), nil
	case st.unpacked && st.size > mostOutOfOrder:
		return nil, unsupportedf("a non-contiguous tensor in a compressed storage of %s: "+
			"rewrite the archive without compression", wording.Count(st.size, "byte"))
	}
	g := &strided.Reader{Source: st.r, Base: st.base + v.offset*w, Width: w, Size: v.size(), Shape: v.shape,
		Stride: v.stride}
	if v.swaps() {
		g.Swap = dtypes.SwapOf(v.dtype)
	}
	return g, nil
}

// An extent is the range of storage bytes that a tensor uses.
type extent struct {
	storage    *storage
	begin, end int64     // offsets in the storage's reader; equal for a tensor without elements
	stride     []int64   // in elements
	records    []*record // records with checksums that contain the bytes
	exact      bool      // the tensor is exactly one record, in the same order
}

// extent returns the extent of the view.
func (v *view) extent() extent {
	st, w := v.storage, v.width()
	switch {
	case v.elements == 0:
		return extent{storage: st.whole()}
	case v.made != nil:
		return extent{storage: st, records: v.records}
	}
	x := extent{storage: st.whole(), begin: st.base + v.offset*w, end: st.base + (v.last+1)*w, stride: v.stride}
	if c := st.whole().record; c != nil {
		x.records = []*record{c}
		x.exact = v.contiguous() && !v.swaps() && x.begin == st.whole().base && v.size() == c.size
	}
	return x
}
