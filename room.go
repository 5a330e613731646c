// Memory for a tensor that is about to be read.

package safetensors

import (
	"unsafe"

	"github.com/weightools/safetensors/internal/bytesio"
)

// leastUncleared is from how many bytes on memory is not cleared first. What is less
// comes from where it lies ready.
const leastUncleared = 64 << 10

// room returns room for the n elements of t, all of which have to be read before
// anybody sees them: what is in it need not be zeros.
//
// To clear memory takes a quarter of the time of reading a file that is in the
// system's cache. It is not done where a file is behind the tensor, and the system
// fills the memory. Other readers are strangers' code: one that claims to have read
// what it has not would give away what the memory held before.
//
// Unsafe, and sound: the memory is as large as n elements, and nothing else holds it;
// an object of that size is aligned for any element, none of which has pointers.
func room[T Element](t *Tensor, n int64) []T {
	size := n * int64(unsafe.Sizeof(*new(T)))
	if size < leastUncleared || placeOf(t).file == nil {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytesio.Uncleared(int(size))))), n)
}
