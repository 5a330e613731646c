// Numbers whose byte order is not that of the format.

package source

import (
	"bytes"
	"io"
	"testing"
)

// On a big-endian machine NewTensor reverses each number as it is read, and
// Read once it has been. Here both get numbers in the order that is wrong
// wherever this runs.
func TestReversed(t *testing.T) {
	for _, test := range []struct {
		size   int
		memory []byte
		want   []byte
	}{
		{1, []byte{1, 2, 3}, []byte{1, 2, 3}},
		{2, []byte{1, 2, 3, 4}, []byte{2, 1, 4, 3}},
		{4, []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{4, 3, 2, 1, 8, 7, 6, 5}},
		{8, []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		before := bytes.Clone(test.memory)
		r := Reversed("x", test.memory, test.size)
		for off := range test.want {
			for n := range len(test.want) + 1 - off {
				b := make([]byte, n)
				if _, err := r.ReadAt(b, int64(off)); err != nil || !bytes.Equal(b, test.want[off:off+n]) {
					t.Errorf("%d bytes at %d, in numbers of %d: %x, %v, want %x", n, off, test.size, b, err, test.want[off:off+n])
				}
			}
		}
		if _, err := r.ReadAt(make([]byte, 1), int64(len(test.want))); err != io.EOF {
			t.Error(err)
		}
		if !bytes.Equal(test.memory, before) {
			t.Error("the memory has changed")
		}
		Reverse(test.memory, test.size)
		if !bytes.Equal(test.memory, test.want) {
			t.Errorf("reversed in place: %x, want %x", test.memory, test.want)
		}
	}
}
