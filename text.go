// The header's text, in memory of its own.

package safetensors

import (
	"io"
	"strings"
	"unsafe"
)

const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // slack of them

// textPart is how many bytes of a large header are read at once: few enough to
// stay in a core's cache until they are copied.
const textPart = 64 << 10

// readText reads the n bytes of the header behind r, and adds slack zeros. They
// are in a buffer of their own, since a mapping could change under the parser.
//
// Go clears the memory that make returns, which for a large header takes as long as
// to read or to parse it. The memory of a strings.Builder alone is not cleared
// first, so a large header goes there through a part that stays in the cache.
func readText(r io.ReaderAt, n int64) ([]byte, error) {
	if n <= 4*textPart {
		text := make([]byte, n+slack)
		return text, readFull(r, text[:n], lengthSize)
	}
	var b strings.Builder
	b.Grow(int(n) + slack)
	whole := make([]byte, textPart)
	for off := int64(0); off < n; off += textPart {
		part := whole[:min(textPart, n-off)]
		if err := readFull(r, part, lengthSize+off); err != nil {
			return nil, err
		}
		b.Write(part)
	}
	b.WriteString(zeros)
	// The Builder is not used again, so nothing else holds these bytes, and they
	// lie in the heap, so they may be written to.
	s := b.String()
	return unsafe.Slice(unsafe.StringData(s), len(s)), nil
}
