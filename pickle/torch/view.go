// Views: where in its storage a tensor is, and that it is all there.

package torch

import (
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// maxRank is how many dimensions a tensor may have, PyTorch's own limit for most of what
// it does.
const maxRank = 64

// A view is a tensor as PyTorch has it: elements of a storage, of which the one at index
// (i, j, …) is number offset + i·stride[0] + j·stride[1] + ….
type view struct {
	storage       *storage
	dtype         safetensors.Dtype
	offset        int64 // in elements, as all here
	shape, stride []int64

	elements int64 // in all
	last     int64 // the highest element of the storage that is in the view

	// A tensor whose bytes are made of those of others has them here, and records that
	// they are in.
	made    io.ReaderAt
	records []*record
	beside  []beside // tensors without which this one means nothing
}

// A beside is a tensor that goes with another, whose name it has with a suffix.
type beside struct {
	suffix string
	*view
}

// width returns the bytes of an element.
func (v *view) width() int64 { return int64(v.dtype.Bits() / 8) }

// size returns the bytes of all elements.
func (v *view) size() int64 { return v.elements * v.width() }

// check refuses a view that has numbers which none can have, or that leaves its
// storage. It counts the elements.
func (v *view) check() error {
	if len(v.shape) != len(v.stride) {
		return refuse("it has %d dimensions and %d strides", len(v.shape), len(v.stride))
	}
	v.elements, v.last = 1, v.offset
	empty := false
	for i, n := range v.shape {
		if n < 0 || v.stride[i] < 0 || v.offset < 0 {
			return refuse("among its dimensions, its strides and its offset is a negative number")
		}
		empty = empty || n == 0
	}
	if empty {
		v.elements = 0
		return nil // it needs nothing of its storage
	}
	for i, n := range v.shape {
		var ok bool
		if v.elements, ok = product(v.elements, n); !ok {
			return refuse("it has more elements than 63 bits can count")
		}
		step, ok := product(n-1, v.stride[i])
		if !ok || step > math.MaxInt64-1-v.last {
			return refuse("its strides lead out of any storage")
		}
		v.last += step
	}
	if _, ok := product(v.elements, v.width()); !ok {
		return refuse("it has more bytes than 63 bits can count")
	}
	if have := v.storage.size / v.width(); v.last >= have {
		return refuse("its last element is number %d of the storage %s, which has %d (%s)", v.last, quoted(v.storage.key), have, wording.Count(v.storage.size, "byte"))
	}
	return nil
}

// product returns a * b, and whether that fits.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), a >= 0 && b >= 0 && high == 0 && low <= math.MaxInt64
}

// contiguous says whether the elements stand in the storage as they do in a file: in
// row-major order, with nothing between them.
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

// swaps says whether the bytes of elements have to be swapped.
func (v *view) swaps() bool { return v.storage.big && v.width() > 1 }

// mostOutOfOrder is how many bytes a packed storage may have whose elements are read in
// another order: it is unpacked again for each MiB.
const mostOutOfOrder = 64 << 20

// reader returns the tensor's bytes. If they stand in the file as they are to be, the
// reader says so to whoever copies files by the system: it is a section of the file.
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
		return nil, unsupportedf("a tensor whose elements are not in order, in a storage of %s that is packed: make the archive anew without compression", wording.Count(st.size, "byte"))
	}
	g := &gather{r: st.r, base: st.base + v.offset*w, width: w, size: v.size(), shape: v.shape, stride: v.stride}
	if v.swaps() {
		g.swap = swapOf(v.dtype)
	}
	return g, nil
}

// An extent is which bytes of a storage a tensor is in.
type extent struct {
	storage    *storage
	begin, end int64     // in what the storage is read from; equal if the tensor has no elements
	stride     []int64   // in elements
	records    []*record // that the bytes are in, as far as they have checksums
	exact      bool      // whether they are all of the one record, in its order
}

// extent returns that of the view.
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
