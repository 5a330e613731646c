// The header's text, and the strings that are kept of it.

package safetensors

import (
	"io"
	"strings"
	"sync"
	"unsafe"
)

// A text is the bytes of a header, in memory of their own, since a mapping could
// change under the parser.
//
// The text of a large header is kept as long as one of its strings, which are views
// of it: it shall not be held twice. That of an ordinary header is given back once
// it is parsed, and its strings are copied, side by side: they are a third of it,
// and memory that is in use costs less than memory that is new.
type text struct {
	padded []byte // the header, and slack zeros after it
	lent   *[]byte
	kept   []byte // room for strings, if the text is lent
}

// mostLent is the size in bytes of the largest header whose text is given back.
const mostLent = 1 << 20

var texts = sync.Pool{New: func() any { return new([]byte) }}

// readText reads the n bytes of the header behind r.
func readText(r io.ReaderAt, n int64) (*text, error) {
	if n > mostLent {
		return readLargeText(r, n)
	}
	t := &text{lent: texts.Get().(*[]byte)}
	if size := int(n) + slack; cap(*t.lent) < size {
		*t.lent = make([]byte, size)
	}
	t.padded = (*t.lent)[:int(n)+slack]
	clear(t.padded[n:])
	return t, readFull(r, t.padded[:n], lengthSize)
}

// readLargeText reads the text of a header that is kept.
//
// Go clears the memory that make returns, which for a large header takes as long as
// to read or to parse it. The memory of a strings.Builder alone is not cleared
// first, so the header goes there through a buffer that stays in the cache.
func readLargeText(r io.ReaderAt, n int64) (*text, error) {
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
	return &text{padded: unsafe.Slice(unsafe.StringData(s), len(s))}, nil
}

// giveBack ends the use of the text, but not of the strings that keep returned.
func (t *text) giveBack() {
	if t != nil && t.lent != nil {
		texts.Put(t.lent)
	}
}

// keep returns bytes of the text as a string that outlives it.
func (t *text) keep(b []byte) string {
	if t.lent == nil {
		return view(b)
	}
	if cap(t.kept)-len(t.kept) < len(b) {
		// Names are a third of a header as a rule.
		t.kept = make([]byte, 0, max(len(b), len(t.padded)/3))
	}
	n := len(t.kept)
	t.kept = append(t.kept, b...)
	return view(t.kept[n:])
}

// view returns bytes as a string, without copying them.
//
// They are bytes of a text, or of the strings kept of one. To a text nothing
// writes but Unescape in the parser's name, once for each string of the header and
// before a view of it exists; and to a lent one readText, once it is given back,
// which the parser's last view of it does not outlive. Strings that are kept are
// written once. So the string never changes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
