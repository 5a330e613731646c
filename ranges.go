// Ranges of indices and their notation.

package safetensors

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/source"
)

// A Range selects indices along one axis. The zero Range selects all of them.
//
// Negative indices count from the end of the axis, and indices beyond either
// end are clamped to that end, as in Python. A Range may therefore select
// nothing, but only At can be out of range.
type Range struct {
	// Step selects every Step-th index from the first one on. 0 means 1. It is
	// ignored by At, and a negative Step is an error of Slice.
	Step int64

	start, stop int64
	kind        rangeKind
}

// A rangeKind says which fields of a Range apply.
type rangeKind uint8

const (
	everything rangeKind = iota // neither start nor stop
	fromStart                   // start only
	bounded                     // start and stop
	point                       // start, which is the one index
	ellipsis                    // every axis that no other range is for
)

// All selects every index of an axis. It returns the zero Range.
func All() Range { return Range{} }

// From selects the indices from start to the end of the axis.
func From(start int64) Range { return Range{start: start, kind: fromStart} }

// Between selects the indices from start up to, but not including, stop.
func Between(start, stop int64) Range { return Range{start: start, stop: stop, kind: bounded} }

// At selects one index and drops the axis from the shape. A negative index
// counts from the end. Unlike the bounds of other ranges, it has to exist.
func At(i int64) Range { return Range{start: i, kind: point} }

// ParseRanges parses the notation of Python and NumPy:
//
//	3          one index, which drops the axis
//	0:10       indices 0 to 9
//	:          all
//	-10:       the last ten
//	::2        every other one
//	...        all axes without a range
//
// Commas separate the ranges of successive axes, as in "3, 0:10, ..., ::2". An
// empty string has no ranges. A step of 0 is an error.
func ParseRanges(s string) ([]Range, error) {
	if strings.Trim(s, blanks) == "" {
		return nil, nil
	}
	var ranges []Range
	seen := false // an ellipsis
	for from := 0; from <= len(s); {
		to := len(s)
		if i := strings.IndexByte(s[from:], ','); i >= 0 {
			to = from + i
		}
		// Python ends a tuple of one with a comma, and allows it in others.
		if from > 0 && to == len(s) && strings.Trim(s[from:], blanks) == "" {
			break
		}
		r, err := parseRange(s, from, to)
		if err != nil {
			return nil, err
		}
		if r.kind == ellipsis && seen {
			return nil, notation(s, from+strings.IndexByte(s[from:], '.'), "there is a second ellipsis")
		}
		seen = seen || r.kind == ellipsis
		ranges = append(ranges, r)
		from = to + 1
	}
	return ranges, nil
}

// blanks are the characters allowed around numbers, colons and commas.
const blanks = " \t\r\n"

// notation returns the error of byte at of the notation s.
func notation(s string, at int, what string) error {
	return fmt.Errorf("safetensors: slice %s: at byte %d, %s", quote(s), at, what)
}

// parseRange parses the range s[from:to] of one axis.
func parseRange(s string, from, to int) (Range, error) {
	if strings.Trim(s[from:to], blanks) == "..." {
		return Range{kind: ellipsis}, nil
	}
	var fields [3]int64
	var given [3]bool
	n, at := 0, from
	for field := range strings.SplitSeq(s[from:to], ":") {
		if n == len(fields) {
			return Range{}, notation(s, at-1, "there is a third colon: a range is start:stop:step")
		}
		v, ok, err := parseIndex(s, at, at+len(field))
		if err != nil {
			return Range{}, err
		}
		if n == 2 && ok && v <= 0 {
			return Range{}, notation(s, at, stepFault(v))
		}
		fields[n], given[n] = v, ok
		n++
		at += len(field) + 1
	}
	switch {
	case n == 1 && !given[0]:
		return Range{}, notation(s, from, "a range is missing")
	case n == 1:
		return At(fields[0]), nil
	}
	r := All()
	switch {
	case given[1]:
		r = Between(fields[0], fields[1])
	case given[0]:
		r = From(fields[0])
	}
	r.Step = fields[2]
	return r, nil
}

// parseIndex parses the number s[from:to]. It returns false if there is none.
func parseIndex(s string, from, to int) (int64, bool, error) {
	text := strings.TrimLeft(s[from:to], blanks)
	at := to - len(text)
	text = strings.TrimRight(text, blanks)
	if text == "" {
		return 0, false, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, false, notation(s, at, quote(text)+" does not fit 64 bits")
	case err != nil:
		return 0, false, notation(s, at, quote(text)+" is not an index, range or ellipsis")
	}
	return v, true, nil
}

// stepFault says what is wrong with a step that is not positive.
func stepFault(step int64) string {
	return fmt.Sprintf("the step is %d, expected 1 or more", step)
}

// of returns the indices that r selects of an axis with dim indices. The error
// does not name the axis.
func (r Range) of(dim int64) (source.Axis, error) {
	switch {
	case r == All() || r.kind == ellipsis:
		return source.Axis{Count: dim, Step: 1}, nil
	case dim < 0:
		// See TensorInfo.Shape. Such an axis can be kept, but not sliced.
		return source.Axis{}, fmt.Errorf("its %d indices are too many to slice", uint64(dim))
	case r.kind == point && (r.start >= dim || r.start < -dim):
		return source.Axis{}, fmt.Errorf("index %d is out of range: the axis has %d indices", r.start, dim)
	case r.kind == point:
		return source.Axis{Start: fromEnd(r.start, dim), Count: 1, Step: 1, Dropped: true}, nil
	case r.Step < 0:
		return source.Axis{}, errors.New(stepFault(r.Step))
	}
	start, stop, step := fromEnd(r.start, dim), dim, max(r.Step, 1)
	if r.kind == bounded {
		stop = fromEnd(r.stop, dim)
	}
	switch {
	case start >= stop:
		return source.Axis{Start: start, Step: 1}, nil
	case step >= stop-start:
		return source.Axis{Start: start, Count: 1, Step: 1}, nil
	}
	return source.Axis{Start: start, Count: (stop-start-1)/step + 1, Step: step}, nil
}

// fromEnd returns index i of an axis with dim indices, counted from the end if
// negative, clamped to 0 and dim.
func fromEnd(i, dim int64) int64 {
	if i < 0 {
		i += dim
	}
	return min(max(i, 0), dim)
}
