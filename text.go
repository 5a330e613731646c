// The header's text, in memory of its own.

package safetensors

import (
	"io"
	"strings"
	"unsafe"
)

// readText reads the n bytes of the header behind r, and adds slack zeros. They
// are in a buffer of their own, since a mapping could change under the parser.
//
// Go clears the memory that make returns, which for a large header takes as long as
// to read or to parse it. The memory of a strings.Builder alone is not cleared
// first, so a large header goes there through a buffer that stays in the cache.
func readText(r io.ReaderAt, n int64) ([]byte, error) {
	if n <= bufferSize {
		text := make([]byte, n+slack)
		return text, readFull(r, text[:n], lengthSize)
	}
	var b strings.Builder
	b.Grow(int(n) + slack)
	whole := buffers.Get().(*buffer)
	defer buffers.Put(whole)
	for off := int64(0); off < n; off += bufferSize {
		part := whole[:min(bufferSize, n-off)]
		if err := readFull(r, part, lengthSize+off); err != nil {
			return nil, err
		}
		b.Write(part)
	}
	b.WriteString(strings.Repeat("\x00", slack))
	// The Builder is not used again, so nothing else holds these bytes, and they
	// lie in the heap, so they may be written to.
	s := b.String()
	return unsafe.Slice(unsafe.StringData(s), len(s)), nil
}
