// Memory that is about to be overwritten.

package bytesio

import (
	"strings"
	"unsafe"
)

// Uncleared returns n bytes of arbitrary content, every one of which the caller has to
// overwrite before it passes them on.
//
// make clears the memory that it returns, which for a large header takes as long
// as reading it. Only the memory of a strings.Builder is not cleared. Nothing else
// refers to these bytes once the Builder is gone, and they are on the heap, so
// they may be written to.
func Uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // so that there is a string to take the address of
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
