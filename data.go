// Validation of the data.

package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/source"
)

// CheckData checks the data of the file behind ra by the rule bool-value, and
// adds to r.Violations. ra must be the file that r is about. CheckData reads
// only BOOL tensors, through one buffer, and nothing if tensors overlap.
//
// The error is of reading ra. A file that ends early is not an error if r
// reports it.
func (r *Report) CheckData(ra io.ReaderAt) error {
	if r.Header == nil {
		return nil
	}
	breaks := func(rule Rule) bool {
		return slices.ContainsFunc(r.Violations, func(v *Violation) bool { return v.Rule == rule })
	}
	if breaks(RuleOverlap) {
		return nil // a million tensors may claim the same bytes
	}
	short := breaks(RuleTruncated)
	n, omitted := 0, 0
	for i := range r.Header.Tensors {
		ti := &r.Header.Tensors[i]
		if ti.Dtype != BOOL || ti.Size() <= 0 {
			continue
		}
		v, err := r.checkBools(ra, ti)
		if err != nil && !(short && errors.Is(err, io.ErrUnexpectedEOF)) {
			return err
		}
		switch {
		case v == nil:
		case n == header.MaxOfRule:
			omitted++
		default:
			r.Violations = append(r.Violations, v)
			n++
		}
	}
	if omitted > 0 {
		r.Omitted = maps.Clone(r.Omitted) // another report may share it
		if r.Omitted == nil {
			r.Omitted = make(map[Rule]int)
		}
		r.Omitted[RuleBoolValue] += omitted
	}
	slices.SortStableFunc(r.Violations, func(a, b *Violation) int { return compareSpans(a.Span, b.Span) })
	return nil
}

// checkBools reads a tensor and returns its violation, or nil.
func (r *Report) checkBools(ra io.ReaderAt, ti *TensorInfo) (*Violation, error) {
	span := r.Header.FileSpan(ti)
	whole := source.Buffers.Get().(*source.Buffer)
	defer source.Buffers.Put(whole)
	buf := whole[:]
	var odd, first int64 // the number of bytes that are neither 0 nor 1, and the offset of the first
	var value byte
	for off := span.Begin; off < span.End; off += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), span.End-off)]
		if err := bytesio.ReadFull(ra, buf, off); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", quote(ti.Name), err)
		}
		i, n := notBools(buf)
		if odd == 0 && n > 0 {
			first, value = off+int64(i), buf[i]
		}
		odd += n
	}
	if odd == 0 {
		return nil, nil
	}
	return violation(RuleBoolValue, ti.Name, Span{first, first + 1},
		"tensor %s has %d bytes that are neither 0 nor 1, the first %#02x as element %d",
		quote(ti.Name), odd, value, first-span.Begin), nil
}

// notBools returns the index of the first byte of b that is neither 0 nor 1,
// and the number of such bytes.
func notBools(b []byte) (first int, n int64) {
	const ones = 0x0101010101010101
	for i := 0; i < len(b); {
		if i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&^ones == 0 {
			i += 8
			continue
		}
		for end := min(i+8, len(b)); i < end; i++ {
			if b[i] > 1 {
				if n == 0 {
					first = i
				}
				n++
			}
		}
	}
	return first, n
}
