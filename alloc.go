// Memory for the elements of a tensor.

package safetensors

import (
	"unsafe"

	"github.com/weightools/safetensors/internal/bytesio"
)

// leastUncleared is the size in bytes from which on memory is not cleared
// first. The allocator has smaller blocks ready.
const leastUncleared = 64 << 10

// alloc returns memory for the n elements of t, every one of which the caller has to
// read into it.
//
// Clearing memory takes a quarter of the time of reading a file from the
// system's cache. It is not necessary if the bytes come from a file, since the
// system fills the memory. Other readers may claim to have read more than they
// have, which would expose old memory, so theirs is cleared.
//
// This use of unsafe is valid: the memory has the size of n elements, nothing
// else refers to it, an object of that size is aligned for any element, and
// elements have no pointers.
func alloc[T Element](t *Tensor, n int64) []T {
	size := n * int64(unsafe.Sizeof(*new(T)))
	if size < leastUncleared || placeOf(t).file == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytesio.Uncleared(int(size))))), n)
}
