// Bytes that are stored as text.

// Package latin1 reads texts in UTF-8, and lines with escapes, as the bytes that their characters encode in Latin-1.
package latin1

import (
	"io"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Text provides the bytes for a text of characters up to U+00FF.
type Text struct {
	text  *io.SectionReader
	next  decoder
	size  int64
	index []int64 // offsets in the text of the bytes 0, step, 2*step, …

	refuse func(format string, args ...any) error
}

const step = 16 << 10

// New returns the bytes for a text in UTF-8. If the text has a character above U+00FF, the error comes from refuse.
func New(text *io.SectionReader, refuse func(format string, args ...any) error) (*Text, error) {
	t := &Text{text: text, next: utf8Char, refuse: refuse}
	return t, t.measure()
}

// NewLine is like New for the argument of UNICODE, or of STRING if it is quoted, with the escapes that Python writes.
func NewLine(line *io.SectionReader, quoted bool, refuse func(format string, args ...any) error) (*Text, error) {
	t := &Text{text: line, next: rawChar, refuse: refuse}
	if quoted {
		t.text, t.next = io.NewSectionReader(line, 1, max(line.Size()-2, 0)), quotedChar
	}
	return t, t.measure()
}

// Size returns the number of bytes.
func (t *Text) Size() int64 { return t.size }

// measure sets the size and the index.
func (t *Text) measure() error {
	return t.from(0, func(_ byte, off int64) bool {
		if t.size%step == 0 {
			t.index = append(t.index, off)
		}
		t.size++
		return true
	})
}

// from calls yield with each byte, starting with the one at off in the text, and that offset, until it returns false.
func (t *Text) from(off int64, yield func(b byte, off int64) bool) error {
	buf := make([]byte, 32<<10)
	for off < t.text.Size() {
		n, err := t.text.ReadAt(buf, off)
		if n == 0 {
			return err
		}
		i := 0
		for i < n {
			b, width := t.next(buf[i:n])
			if width == 0 && off+int64(n) < t.text.Size() && i > 0 {
				break // the next block has the rest
			}
			if width <= 0 {
				c, _ := utf8.DecodeRune(buf[i:n])
				return t.refuse("the data of an array contains the character %U, which is not a byte", c)
			}
			if !yield(b, off+int64(i)) {
				return nil
			}
			i += width
		}
		off += int64(i)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (t *Text) ReadAt(b []byte, off int64) (n int, err error) {
	part, end := bytesio.Clip(b, off, t.size)
	if len(part) == 0 {
		return 0, end
	}
	skip := off % step
	err = t.from(t.index[off/step], func(c byte, _ int64) bool {
		if skip > 0 {
			skip--
			return true
		}
		part[n] = c
		n++
		return n < len(part)
	})
	switch {
	case err != nil:
		return n, err
	case n < len(part):
		return n, io.ErrUnexpectedEOF // the file was changed
	}
	return n, end
}
