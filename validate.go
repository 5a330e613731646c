// Validate: every rule that a file breaks, past the first.

package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/wording"
)

// A Report is what Validate found.
type Report struct {
	// Header is as much as could be made out, nil if nothing could. Entries
	// that break rules stand in it as far as they can be read.
	Header *Header

	// Violations are in the order of the bytes at fault. Of each rule there are
	// the first 1,000 that were met.
	Violations []*Violation

	// Omitted is how many more there are of each rule. It is nil if there are
	// none.
	Omitted map[Rule]int

	file *File // room for the file, if it is one, in the report's own allocation
}

// Validate judges the file of the given size behind r by every rule but
// bool-value, and goes on where it can after it found one broken. It reads the
// header, and none of the data.
//
// The error is of reading r, and never of what was read.
func Validate(r io.ReaderAt, size int64) (*Report, error) { return plainOpener.Validate(r, size) }

// Err returns nil if the file is a safetensors file, and otherwise its first
// violation of severity Nonconforming or above.
func (r *Report) Err() error {
	if v := r.First(Nonconforming); v != nil {
		return v
	}
	return nil
}

// First returns the first violation of at least the given severity, or nil.
func (r *Report) First(least Severity) *Violation {
	for _, v := range r.Violations {
		if v.Severity >= least {
			return v
		}
	}
	return nil
}

// judge reads the header of the file of the given size behind r, and judges
// both. If all, it looks for warnings and notes, too.
func (o *Opener) judge(r io.ReaderAt, size int64, all bool) (*Report, error) {
	if size < lengthSize {
		return reportOf(violation(RuleTooShort, "", Span{0, max(size, 0)},
			"the file has %s, and a file has at least 8", wording.Count(max(size, 0), "byte"))), nil
	}
	p := o.parser(all)
	if err := bytesio.ReadFull(r, p.Length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(p.Length[:])
	if v := o.sizeViolation(n, size); v != nil || n == 0 {
		return o.notAHeader(r, size, v)
	}
	text, err := header.ReadText(r, int64(n))
	if err != nil {
		return nil, err
	}
	result := p.Parse(text, size)
	if !result.Complete && len(result.Tensors) == 0 {
		if report, err := foreign(r, size); report != nil || err != nil {
			return report, err
		}
	}
	return newReport(&result, int64(n)), nil
}

// sizeViolation judges N against the limit and the file's size, in the order in
// which the reference implementation does.
func (o *Opener) sizeViolation(n uint64, size int64) *Violation {
	limit := o.maxHeaderSize()
	var detail string
	switch swapped := bits.ReverseBytes64(n); {
	case n > uint64(limit) && size > lengthSize && swapped <= uint64(min(limit, size-lengthSize)):
		detail = fmt.Sprintf("the header is said to take %d bytes; in the other byte order it would be %d: the length is to be little-endian", n, swapped)
	case n > uint64(limit) && n > uint64(size):
		detail = fmt.Sprintf("the header is said to take %d bytes, which is no length that a header of this file can have", n)
	case n > uint64(limit):
		detail = fmt.Sprintf("the header is said to take %d bytes, more than the limit of %d", n, limit)
	case int64(n) > size-lengthSize:
		detail = fmt.Sprintf("the file ends in its header, which is said to take %d bytes, and of which %d are there", n, size-lengthSize)
	default:
		return nil
	}
	return violation(RuleHeaderSize, "", Span{0, lengthSize}, "%s", detail)
}

// notAHeader reports a file whose N cannot be right: as a file of another
// format if it is one, and otherwise by v.
func (o *Opener) notAHeader(r io.ReaderAt, size int64, v *Violation) (*Report, error) {
	if report, err := foreign(r, size); report != nil || err != nil {
		return report, err
	}
	if v == nil {
		v = violation(RuleJSON, "", Span{0, lengthSize}, "header: at byte 0: expected an object, found the end")
	}
	return reportOf(v), nil
}

func reportOf(v *Violation) *Report { return &Report{Violations: []*Violation{v}} }
