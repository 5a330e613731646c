// The positions of tensors in the data.

package gguf

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
)

// locate computes where the data and each tensor begin and end, and judges it.
func (p *parser) locate() error {
	p.End = p.at
	p.DataStart = padded(p.End, p.Alignment)
	if len(p.Tensors) == 0 {
		p.DataStart = min(p.DataStart, p.size) // a file without tensors need not be padded
	}
	p.judgeDuplicates()
	order := p.inData()
	p.spans(order)
	p.judgeOrder(order)
	if !p.complete || !p.all {
		return nil
	}
	if err := p.judgePadding(p.End, min(p.DataStart, p.size), "the padding before the data"); err != nil {
		return err
	}
	return p.judgeGaps(order)
}

// padded returns the next multiple of the alignment. It is at most 2^63-1.
func padded(n, alignment int64) int64 {
	if n > math.MaxInt64-alignment {
		return math.MaxInt64
	}
	return (n + alignment - 1) &^ (alignment - 1)
}

// judgeDuplicates finds tensors with the same name.
func (p *parser) judgeDuplicates() {
	seen := make(map[string]bool, len(p.Tensors))
	for i := range p.Tensors {
		t := &p.Tensors[i]
		if seen[t.Name] {
			p.found.Add(RuleDuplicate, t.Name, t.entry, "tensor %s occurs more than once", wording.Quote(t.Name))
		}
		seen[t.Name] = true
	}
}

// inData returns the tensors with valid offsets in the order of their data.
func (p *parser) inData() []*TensorInfo {
	order := make([]*TensorInfo, 0, len(p.Tensors))
	for i := range p.Tensors {
		t := &p.Tensors[i]
		switch {
		case t.offset > math.MaxInt64-uint64(p.DataStart):
			p.found.Add(RuleOffset, t.Name, t.entry, "tensor %s has the offset %d", wording.Quote(t.Name), t.offset)
			continue
		case t.offset%uint64(p.Alignment) != 0:
			p.found.Add(RuleOffset, t.Name, t.entry, "tensor %s has the offset %d, which is not a multiple of %d",
				wording.Quote(t.Name), t.offset, p.Alignment)
		}
		order = append(order, t)
	}
	slices.SortStableFunc(order, func(a, b *TensorInfo) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(max(a.size, 0), max(b.size, 0)))
	})
	return order
}

// spans sets the bytes of the tensors, and finds those that are cut off.
func (p *parser) spans(order []*TensorInfo) {
	for i, t := range order {
		t.Span.Begin = p.DataStart + int64(t.offset)
		switch {
		case t.size < 0 && t.Type.Known(): // of an invalid shape
			t.Span.End = t.Span.Begin
		case t.size < 0:
			t.Span.End = max(p.size, t.Span.Begin)
			for _, next := range order[i+1:] {
				if next.offset > t.offset {
					t.Span.End = min(t.Span.End, p.DataStart+int64(next.offset))
					break
				}
			}
		case t.size > math.MaxInt64-t.Span.Begin:
			t.Span.End = math.MaxInt64
		default:
			t.Span.End = t.Span.Begin + t.size
		}
		switch {
		case t.Span.End > p.size && t.size != 0:
			p.found.Add(RuleTruncated, t.Name, t.entry, "tensor %s takes the bytes %d to %d, and the file has %d",
				wording.Quote(t.Name), t.Span.Begin, t.Span.End, p.size)
		case t.Span.Begin > p.size:
			p.found.Add(RuleUnpadded, t.Name, t.entry, "tensor %s, which is empty, begins at byte %d of a file with %d",
				wording.Quote(t.Name), t.Span.Begin, p.size)
		}
	}
}

// judgeOrder finds tensors that overlap, and those that are not listed in the order of their data.
func (p *parser) judgeOrder(order []*TensorInfo) {
	var last *TensorInfo
	for _, t := range order {
		if last != nil && t.Span.Begin < last.Span.End && t.Span.Len() > 0 {
			p.found.Add(RuleOverlap, t.Name, t.entry,
				"tensor %s begins at byte %d, inside of tensor %s, which ends at byte %d",
				wording.Quote(t.Name), t.Span.Begin, wording.Quote(last.Name), last.Span.End)
		}
		if last == nil || t.Span.End > last.Span.End {
			last = t
		}
	}
	for i := 1; i < len(p.Tensors); i++ {
		if t := &p.Tensors[i]; t.offset < p.Tensors[i-1].offset {
			p.found.Add(RuleOrder, t.Name, t.entry,
				"tensor %s has the offset %d and follows a tensor with the offset %d",
				wording.Quote(t.Name), t.offset, p.Tensors[i-1].offset)
			return // one is enough to say that the order differs
		}
	}
}

// judgeGaps judges what is between the tensors, and after the last.
func (p *parser) judgeGaps(order []*TensorInfo) error {
	end, unsure := p.DataStart, false
	for _, t := range order {
		gap := span(end, min(t.Span.Begin, p.size))
		if next := padded(end, p.Alignment); t.Span.Begin > next && !unsure && t.offset%uint64(p.Alignment) == 0 {
			p.found.Add(RuleHole, t.Name, gap, "%d bytes before tensor %s belong to no tensor", t.Span.Begin-end,
				wording.Quote(t.Name))
		} else if err := p.judgePadding(gap.Begin, gap.End,
			"the padding before tensor "+wording.Quote(t.Name)); err != nil {
			return err
		}
		end, unsure = max(end, t.Span.End), t.size < 0
	}
	if unsure || end >= p.size {
		return nil
	}
	if p.size > padded(end, p.Alignment) {
		p.found.Add(RuleTrailing, "", span(end, p.size), "%d bytes follow the last tensor", p.size-end)
		return nil
	}
	return p.judgePadding(end, p.size, "the padding after the last tensor")
}

// judgePadding reads padding and finds bytes other than zeros. It reads at most 64 KiB.
func (p *parser) judgePadding(begin, end int64, what string) error {
	const most = 64 << 10
	if end <= begin || end-begin > most || !p.padding {
		return nil
	}
	b, err := p.window.At(begin, int(end-begin))
	if err != nil {
		return err
	}
	if i := bytes.IndexFunc(b, func(r rune) bool { return r != 0 }); i >= 0 {
		p.found.Add(RulePadding, "", span(begin, end), "%s has the byte %#02x", what, b[i])
	}
	return nil
}
