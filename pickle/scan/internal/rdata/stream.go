// Numbers in the three encodings of R: XDR, native and text.

package rdata

import (
	"bufio"
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// A stream reads serialized data. The first error is kept.
type stream struct {
	r     *bufio.Reader
	form  byte // X, B or A
	spend func(int64) bool
	err   error
}

func newStream(r io.Reader, form byte, spend func(int64) bool) *stream {
	const block = 64 << 10 // bytes
	return &stream{r: bufio.NewReaderSize(r, block), form: form, spend: spend}
}

// fail keeps an error.
func (s *stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// skip skips bytes.
func (s *stream) skip(n int64) {
	if s.err != nil {
		return
	}
	if n < 0 {
		s.fail(errInvalid)
		return
	}
	if !s.spend(1 + n/64) {
		s.fail(evidence.ErrBudget)
		return
	}
	if _, err := io.CopyN(io.Discard, s.r, n); err != nil {
		s.fail(err)
	}
}

// read returns the next n bytes, of which there are few.
func (s *stream) read(n int) []byte {
	b := make([]byte, n)
	if s.err == nil && !s.spend(1) {
		s.fail(evidence.ErrBudget)
	}
	if s.err == nil {
		if _, err := io.ReadFull(s.r, b); err != nil {
			s.fail(err)
		}
	}
	if s.err != nil {
		return make([]byte, n)
	}
	return b
}

// word returns the next word of a text.
func (s *stream) word() string {
	const longest = 400
	var w strings.Builder
	for s.err == nil {
		c, err := s.r.ReadByte()
		if err == io.EOF && w.Len() > 0 {
			break
		}
		if err != nil {
			s.fail(err)
			break
		}
		if c == '\n' || c == ' ' || c == '\t' || c == '\r' {
			if w.Len() > 0 {
				break
			}
			continue
		}
		if w.WriteByte(c); w.Len() > longest {
			s.fail(errInvalid)
		}
	}
	if !s.spend(1) {
		s.fail(evidence.ErrBudget)
	}
	return w.String()
}

// int returns the next integer.
func (s *stream) int() int {
	switch s.form {
	case 'X':
		return int(int32(binary.BigEndian.Uint32(s.read(4))))
	case 'B':
		return int(int32(binary.LittleEndian.Uint32(s.read(4))))
	}
	w := s.word()
	if w == "NA" {
		return -1 << 31
	}
	v, err := strconv.ParseInt(w, 10, 32)
	if err != nil {
		s.fail(errInvalid)
	}
	return int(v)
}

// numbers skips n numbers of the given size.
func (s *stream) numbers(n int64, size int64) {
	if s.form != 'A' {
		s.skip(n * size)
		return
	}
	words := n
	if size == 16 { // complex numbers are two words
		words *= 2
	}
	for ; words > 0 && s.err == nil; words-- {
		s.word()
	}
}

// text returns a string of n bytes, or the beginning of a long one.
func (s *stream) text(n int64) string {
	const most = 1000
	if n < 0 {
		s.fail(errInvalid)
		return ""
	}
	if s.form == 'A' { // escapes contain no spaces
		if n > 0 {
			return s.word()
		}
		return ""
	}
	b := s.read(int(min(n, most)))
	s.skip(n - int64(len(b)))
	return string(b)
}
