// The byte order of memory.

package safetensors

import (
	"bytes"
	"testing"
)

// A C64 is two numbers, each of which has a byte order.
func TestPartSize(t *testing.T) {
	for d := range Dtypes() {
		want := d.Bits() / 8
		if d == C64 {
			want = 4
		}
		if got := partSize(d); got != want {
			t.Errorf("%s has parts of %d bytes, want %d", d, got, want)
		}
	}
}

func TestLittleEndian(t *testing.T) {
	if b := bytesOf([]uint32{0x01020304}); littleEndian != bytes.Equal(b, []byte{4, 3, 2, 1}) {
		t.Errorf("0x01020304 is %x in memory, and littleEndian is %v", b, littleEndian)
	}
}
