// Memory of floats as bytes.

package bytesio

import (
	"encoding/binary"
	"unsafe"
)

// Floats returns the memory of b as float32, or nil if b does not hold aligned floats in little-endian byte order.
//
// This use of unsafe is valid: b is aligned and long enough, and any bytes are a float32.
func Floats(b []byte) []float32 {
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	p := unsafe.Pointer(unsafe.SliceData(b))
	if !little || len(b) < 4 || len(b)%4 != 0 || uintptr(p)%4 != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(p), len(b)/4)
}
