// The header's text, in memory of its own.

package safetensors

import (
	"io"
	"strings"
	"unsafe"
)

// readText reads the n bytes of the header behind r, and adds slack zeros. They
// are in a buffer of their own, since a mapping could change under the parser.
func readText(r io.ReaderAt, n int64) ([]byte, error) {
	text := uncleared(int(n) + slack)
	clear(text[n:])
	return text, readFull(r, text[:n], lengthSize)
}

// uncleared returns n bytes that hold anything.
//
// Go clears the memory that make returns, which for a large header takes as long
// as to read it. The memory of a strings.Builder alone is not cleared first.
// Nothing else holds these bytes once the Builder is gone, and they lie in the
// heap, so they may be written to.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // so that there is a string to take the address of
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
