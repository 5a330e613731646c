// Arbitrary bytes as tables.

package sstable

import (
	"bytes"
	"testing"
)

// FuzzValid checks that arbitrary tables do not panic and that their work is bounded.
func FuzzValid(f *testing.F) {
	whole := build(block([2]string{"", "\x08\x01"}, [2]string{"weight", "\x08\x01\x12\x02"}), block([2]string{"x", "y"}))
	f.Add(whole)
	f.Add(append([]byte("x"), whole...))
	f.Add(build())
	packed := block([2]string{"a", "b"})
	packed[len(packed)-trailer] = 1 // says that it is compressed
	f.Add(build(packed, packed))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := int64(1 << 22)
		spend := func(n int64) bool {
			if n < 0 {
				t.Errorf("the work %d", n)
			}
			left -= n
			return left > 0
		}
		ok, err := Valid(bytes.NewReader(b), int64(len(b)), spend)
		if ok && !bytes.HasSuffix(b, []byte(magic)) || err != nil && left > 0 {
			t.Errorf("%v, %v", ok, err)
		}
	})
}
