// Validation of a file.

package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/wording"
)

// Validate checks the file of the given size behind r by every rule except
// bool-value, and continues after violations if possible. It reads the header
// and no data; see Report.CheckData.
//
// The error is of reading r. What is wrong with the file is in the Report.
func Validate(r io.ReaderAt, size int64) (*Report, error) { return plainOpener.Validate(r, size) }

// judge reads the header of the file of the given size behind r and validates
// both. If all, it looks for warnings and notes too.
func (o *Opener) judge(r io.ReaderAt, size int64, all bool) (*Report, error) {
	return o.judgeBy(o.parser(all), r, size)
}

// judgeBy is judge with a parser.
func (o *Opener) judgeBy(p *header.Parser, r io.ReaderAt, size int64) (*Report, error) {
	if size < lengthSize {
		return reportOf(violation(RuleTooShort, "", Span{0, max(size, 0)},
			"the file has %s, expected at least 8", wording.Count(max(size, 0), "byte"))), nil
	}
	if err := bytesio.ReadFull(r, p.Length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(p.Length[:])
	if v := o.sizeViolation(n, size); v != nil || n == 0 {
		return o.notAHeader(r, size, v)
	}
	text, err := header.ReadText(r, int64(n), p.Room())
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

// sizeViolation checks N against the limit and the size of the file, in the
// order of the reference implementation.
func (o *Opener) sizeViolation(n uint64, size int64) *Violation {
	limit := o.maxHeaderSize()
	var detail string
	switch swapped := bits.ReverseBytes64(n); {
	case n > uint64(limit) && size > lengthSize && swapped <= uint64(min(limit, size-lengthSize)):
		detail = fmt.Sprintf("header length %d exceeds the limit; it is %d if read as big-endian, but must be "+
			"little-endian",
			n, swapped)
	case n > uint64(limit) && n > uint64(size):
		detail = fmt.Sprintf("header length %d exceeds the file size of %s", n, wording.Count(size, "byte"))
	case n > uint64(limit):
		detail = fmt.Sprintf("header length %d exceeds the limit of %d", n, limit)
	case int64(n) > size-lengthSize:
		detail = fmt.Sprintf("header length %d exceeds the %d bytes after it", n, size-lengthSize)
	default:
		return nil
	}
	return violation(RuleHeaderSize, "", Span{0, lengthSize}, "%s", detail)
}

// notAHeader reports a file whose N cannot be right: as a file of another
// format if that is recognized, and otherwise by v.
func (o *Opener) notAHeader(r io.ReaderAt, size int64, v *Violation) (*Report, error) {
	if report, err := foreign(r, size); report != nil || err != nil {
		return report, err
	}
	if v == nil {
		v = violation(RuleJSON, "", Span{0, lengthSize}, "header: at byte 0: expected an object, found the end")
	}
	return reportOf(v), nil
}

// foreign reports a file of another format. It returns nil if the format is unknown.
func foreign(r io.ReaderAt, size int64) (*Report, error) {
	t, err := filetype.Detect(r, size)
	if err != nil {
		return nil, err
	}
	if v := notSafetensors(t, min(size, filetype.HeadSize)); v != nil {
		return reportOf(v), nil
	}
	return nil, nil
}

// notSafetensors returns the violation of a file of type t, whose first n bytes
// show it, or nil if it may be a safetensors file.
func notSafetensors(t filetype.Type, n int64) *Violation {
	if t.Kind == filetype.Unknown || t.Kind == filetype.Safetensors {
		return nil
	}
	v := violation(RuleNotSafetensors, "", Span{0, n}, "the file is %s, not a safetensors file", t)
	v.Fix = t.Advice()
	return v
}
