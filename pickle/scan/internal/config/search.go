// A search for JSON objects in other data, such as the attributes of HDF5 files.

package config

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// A Search looks for JSON objects, which may be configurations.
type Search struct {
	r     io.ReaderAt
	end   int64
	most  int64 // bytes of an object
	spend func(int64) bool
	block []byte // the bytes read last
	begin int64  // their offset
}

// NewSearch returns a search of the bytes from begin to end, for objects of at most the given number
// of bytes. The function spend is called with the work, in pickle instructions, and returns false if
// the search has to stop.
func NewSearch(r io.ReaderAt, begin, end, most int64, spend func(int64) bool) *Search {
	const blockSize = 1 << 20
	return &Search{r: r, end: end, most: most, spend: spend, block: make([]byte, 0, min(blockSize, end-begin))}
}

// mostKey is the number of bytes from which the beginning of a JSON object is detected.
const mostKey = 4 << 10

// from returns the bytes at off: at least mostKey, or fewer at the end.
func (s *Search) from(off int64) ([]byte, error) {
	have := s.begin + int64(len(s.block))
	if s.begin <= off && min(off+mostKey, s.end) <= have {
		return s.block[off-s.begin:], nil
	}
	s.begin, s.block = off, s.block[:min(int64(cap(s.block)), s.end-off)]
	return s.block, bytesio.ReadFull(s.r, s.block, off)
}

// Next returns the offset of the next possible JSON object at or after off, or -1. If the budget is
// spent, it returns where the search stopped.
func (s *Search) Next(off int64) (int64, error) {
	const perInstr = 16 // bytes searched at the cost of one instruction
	for off < s.end {
		b, err := s.from(off)
		if err != nil {
			return -1, err
		}
		i := bytes.IndexByte(b, '{')
		if i < 0 {
			s.spend(int64(len(b)) / perInstr)
			off += int64(len(b))
			continue
		}
		if !s.spend(2 + int64(i)/perInstr) {
			return off, nil
		}
		off += int64(i)
		if b, err = s.from(off); err != nil {
			return -1, err
		}
		if Begins(b[:min(mostKey, len(b))]) {
			return off, nil
		}
		off++
	}
	return -1, nil
}

// Object returns a text that begins with the object at an offset, and the number of bytes that were
// read. Most objects are short, so more bytes are read only when needed.
func (s *Search) Object(begin int64) (text []byte, read int64, err error) {
	for size := int64(512); ; size = min(8*size, s.most) {
		if text, err = s.text(begin, size); err != nil {
			return nil, 0, err
		}
		read += int64(len(text))
		whole := int64(len(text)) < size || size == s.most
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text, whole = text[:end], true
		}
		text = Lenient(text)
		// The scanner stops before a truncated escape.
		const escape = len(`\ud834`)
		scanner := jsonscan.New(text)
		if _, _, err := scanner.Skip(); err == nil || scanner.Pos()+escape <= len(text) || whole {
			return text, read, nil
		}
	}
}

// text returns a copy of the n bytes at off, or of fewer at the end.
func (s *Search) text(off, n int64) ([]byte, error) {
	if n <= mostKey {
		b, err := s.from(off)
		return bytes.Clone(b[:min(n, int64(len(b)))]), err
	}
	b := make([]byte, min(n, s.end-off))
	return b, bytesio.ReadFull(s.r, b, off)
}
