// Numbers in the other byte order.

package source

import "slices"

// Reversed returns a reader of numbers of the given size in bytes, whose bytes in b
// are in reverse order. They are reversed on reading, since b belongs to the
// caller.
func Reversed(tensor string, b []byte, size int) *Computed {
	p := Packing{1, int64(size)}
	return NewComputed(p, tensor, int64(len(b)), p.Most(), func(dst []byte, first int64, n int) (int, error) {
		copy(dst, b[int(first)*size:])
		Reverse(dst, size)
		return n, nil
	})
}

// Reverse reverses the bytes of each number of the given size in b.
func Reverse(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}
