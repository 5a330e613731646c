// Folding of equal layers.

package listing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A folded line stands for one tensor, or for several whose names differ only in numbers.
type folded struct {
	Name  string // with ranges for numbers, as in "model.layers.[0-23].norm.weight"
	row   Row    // the first one
	Count int
	bytes encode.Known // of all together
	file  int          // -1 if in several files
	first int          // index of the first row
}

// First returns the index of the first row.
func (f *folded) First() int { return f.first }

// Elements returns the number of elements of all together.
func (f *folded) Elements() encode.Known { return f.elements() }

// Bytes returns the size of all together.
func (f *folded) Bytes() encode.Known { return f.bytes }

// elements returns the number of elements of all together. They have the same shape.
func (f *folded) elements() encode.Known {
	n := elementsOf(f.row.TensorInfo)
	if n < 0 {
		return encode.Unknown
	}
	return encode.Known(encode.Times(int64(n), f.Count))
}

// Fold folds rows into lines, in the order of their first rows. It folds only complete ranges of
// numbers with the same dtype and shape, and therefore a layer that differs or is missing is
// visible.
func Fold(rows []Row) []folded {
	type template struct {
		name string // with \x00 for each number
		kind string // dtype and shape
	}
	groups := make(map[template][]box)
	for i, r := range rows {
		name, at := Numbered(r.Name)
		key := template{name, string(r.Dtype) + ShapeOf(r.TensorInfo)}
		groups[key] = append(groups[key], box{at: at, first: i, count: 1, bytes: bytesOf(r.TensorInfo), file: r.File})
	}
	lines := make([]folded, 0, len(groups))
	for key, boxes := range groups {
		for _, b := range merge(boxes) {
			lines = append(lines, folded{b.name(key.name), rows[b.first], b.count, b.bytes, b.file, b.first})
		}
	}
	slices.SortFunc(lines, func(a, b folded) int { return cmp.Compare(a.first, b.first) })
	return lines
}

// A span is a closed range of numbers.
type span struct{ lo, hi int32 }

// First returns the first number of the range.
func (s span) First() int { return int(s.lo) }

// A box is a set of tensors with the same template: all combinations of its ranges.
type box struct {
	at    []span
	first int // index of the first row
	count int
	bytes encode.Known
	file  int
}

// merge joins boxes that are adjacent in one range and equal in all others. It proceeds from the
// last number of names to the first: experts are joined before layers.
func merge(boxes []box) []box {
	for d := len(boxes[0].at) - 1; d >= 0 && len(boxes) > 1; d-- {
		slices.SortFunc(boxes, func(a, b box) int {
			return cmp.Or(a.compareBut(&b, d), cmp.Compare(a.at[d].lo, b.at[d].lo), cmp.Compare(a.first, b.first))
		})
		merged := boxes[:1]
		for _, b := range boxes[1:] {
			last := &merged[len(merged)-1]
			if last.at[d].hi+1 != b.at[d].lo || last.compareBut(&b, d) != 0 {
				merged = append(merged, b)
				continue
			}
			last.join(&b, d)
		}
		boxes = merged
	}
	return boxes
}

// compareBut compares all ranges but the one at d.
func (a *box) compareBut(b *box, d int) int {
	for i := range a.at {
		if i == d {
			continue
		}
		if c := cmp.Or(cmp.Compare(a.at[i].lo, b.at[i].lo), cmp.Compare(a.at[i].hi, b.at[i].hi)); c != 0 {
			return c
		}
	}
	return 0
}

// join adds b, which follows a in the range at d.
func (a *box) join(b *box, d int) {
	a.at[d].hi = b.at[d].hi
	a.first = min(a.first, b.first)
	a.count += b.count
	if a.bytes < 0 || b.bytes < 0 {
		a.bytes = encode.Unknown // a partial sum would be misleading
	} else {
		a.bytes = encode.Known(encode.Add(int64(a.bytes), int64(b.bytes)))
	}
	if a.file != b.file {
		a.file = -1
	}
}

// name inserts the ranges into the template.
func (a *box) name(template string) string {
	if len(a.at) == 0 {
		return template
	}
	var b strings.Builder
	for i, part := range strings.Split(template, "\x00") {
		if i > 0 {
			b.WriteString(a.at[i-1].String())
		}
		b.WriteString(part)
	}
	return b.String()
}

// String returns the range as in "[0-23]", or a single number.
func (s span) String() string {
	if s.lo == s.hi {
		return strconv.Itoa(int(s.lo))
	}
	return "[" + strconv.Itoa(int(s.lo)) + "-" + strconv.Itoa(int(s.hi)) + "]"
}

// Numbered splits a name into a template, with \x00 for numbers between dots, and the numbers.
func Numbered(name string) (template string, numbers []span) {
	const most = 4 // layers, experts, nested blocks
	if strings.IndexByte(name, 0) >= 0 {
		return name, nil // it would be confused with a template
	}
	words := strings.Split(name, ".")
	for i, word := range words {
		if n, ok := number(word); ok && len(numbers) < most {
			numbers = append(numbers, span{n, n})
			words[i] = "\x00"
		}
	}
	if numbers == nil {
		return name, nil
	}
	return strings.Join(words, "."), numbers
}

// number parses a decimal number without leading zeros.
func number(word string) (int32, bool) {
	const most = 9 // digits; fits int32
	if word == "" || len(word) > most || word[0] == '0' && len(word) > 1 || typeset.Digits(word) != word {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return int32(n), err == nil
}
