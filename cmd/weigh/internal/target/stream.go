// Standard input as a file: its header, and not a byte more than is needed.

package target

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/weightools/safetensors"
)

// A Stream is the beginning of a file that can be read once, from front to back.
type Stream struct {
	Head []byte // the length and the header, or what there is of it
	Size int64  // of the whole file, or -1 while it is unknown
	next io.Reader
}

// enough is how many bytes suffice to recognize a file that is not a safetensors file.
const enough = 1024

// lengthSize is the size in bytes of the number with which a file begins.
const lengthSize = 8

// ReadStream reads the beginning of a file from r: the header, or if there cannot be one, as
// much as it takes to recognize the file. It allocates memory for the bytes that arrive, not
// for the length that they claim.
func ReadStream(r io.Reader) (*Stream, error) {
	s := &Stream{Size: -1, next: r}
	if err := s.more(lengthSize); err != nil || s.Size >= 0 {
		return s, err
	}
	n := lengthOf(s.Head)
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

// more reads n more bytes. If there are fewer, the size is known.
func (s *Stream) more(n int64) error {
	buf := bytes.NewBuffer(s.Head)
	got, err := io.CopyN(buf, s.next, n)
	s.Head = buf.Bytes()
	if errors.Is(err, io.EOF) {
		s.Size = int64(len(s.Head))
		return nil
	}
	if got == n {
		return nil
	}
	return err
}

// ReadRest reads to the end, which sets Size.
func (s *Stream) ReadRest() error {
	if err := s.more(max(enough-int64(len(s.Head)), 0)); err != nil {
		return err
	}
	if s.Size >= 0 {
		return nil
	}
	n, err := io.Copy(io.Discard, s.next)
	s.Size = int64(len(s.Head)) + n
	return err
}

// Validate judges the file by its beginning. While the size is unknown, a missing end is
// not reported.
func (s *Stream) Validate(o *safetensors.Opener) (*safetensors.Report, error) {
	if s.Size >= 0 {
		return o.Validate(bytes.NewReader(s.Head), s.Size)
	}
	report, err := o.Validate(bytes.NewReader(s.Head), int64(len(s.Head)))
	if err != nil {
		return nil, err
	}
	report.Violations = slices.DeleteFunc(report.Violations, func(v *safetensors.Violation) bool {
		return v.Rule == safetensors.RuleTruncated
	})
	return report, nil
}
