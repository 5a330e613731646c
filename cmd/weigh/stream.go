// Standard input as a file: its header, and not a byte more than is needed.

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/weightools/safetensors"
)

// A stream is the start of a file that can be read once, from front to back.
type stream struct {
	head []byte // the length and the header, or what there is of it
	size int64  // of the whole, or -1 if it was not read
	next io.Reader
}

// enough is how many bytes tell what a file is that is no safetensors file.
const enough = 1024

// lengthSize is the size in bytes of the number with which a file begins.
const lengthSize = 8

// readStream reads the start of a file from r: the header, or if there cannot
// be one, as much as it takes to say what the file is instead. Memory is taken
// for what arrives, not for what is announced.
func readStream(r io.Reader) (*stream, error) {
	s := &stream{size: -1, next: r}
	if err := s.more(lengthSize); err != nil || s.size >= 0 {
		return s, err
	}
	n := lengthOf(s.head)
	if n > safetensors.MaxHeaderSize || n == 0 {
		return s, s.more(enough - lengthSize)
	}
	return s, s.more(int64(n))
}

// lengthOf returns the number with which a file begins, 0 if it is too short.
func lengthOf(head []byte) uint64 {
	if len(head) < lengthSize {
		return 0
	}
	return binary.LittleEndian.Uint64(head)
}

// more reads n more bytes. If there are fewer, that settles the size.
func (s *stream) more(n int64) error {
	buf := bytes.NewBuffer(s.head)
	got, err := io.CopyN(buf, s.next, n)
	s.head = buf.Bytes()
	if errors.Is(err, io.EOF) {
		s.size = int64(len(s.head))
		return nil
	}
	if got == n {
		return nil
	}
	return err
}

// rest reads to the end and counts, which settles the size.
func (s *stream) rest() error {
	if err := s.more(max(enough-int64(len(s.head)), 0)); err != nil {
		return err
	}
	if s.size >= 0 {
		return nil
	}
	n, err := io.Copy(io.Discard, s.next)
	s.size = int64(len(s.head)) + n
	return err
}

// validate judges the file by its start. As long as the size is not known, it
// does not ask where the file ends.
func (s *stream) validate(o *safetensors.Opener) (*safetensors.Report, error) {
	if s.size >= 0 {
		return o.Validate(bytes.NewReader(s.head), s.size)
	}
	report, err := o.Validate(bytes.NewReader(s.head), int64(len(s.head)))
	if err != nil {
		return nil, err
	}
	report.Violations = slices.DeleteFunc(report.Violations, func(v *safetensors.Violation) bool {
		return v.Rule == safetensors.RuleTruncated
	})
	return report, nil
}
