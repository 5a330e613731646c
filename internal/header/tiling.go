// How the tensors cover the data.

package header

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/wording"
)

// tile reports overlaps and holes between the tensors. It returns the end of
// the last tensor.
//
// It reports no hole if the offsets of some tensor are unknown, since the hole
// may be the data of that tensor.
func (p *Parser) tile() (end int64) {
	tensors := p.tensors
	order := make([]uint32, 0, len(tensors))
	sorted := true
	for i := range tensors {
		if tensors[i].Offsets == noOffsets {
			p.blind = true
			continue
		}
		if n := len(order); n > 0 && compareSpans(tensors[order[n-1]].Offsets, tensors[i].Offsets) > 0 {
			if sorted && p.All {
				p.found(EntryOrder, tensors[i].Name, tensors[i].Entry,
					"tensor %s is listed after %s, but its data comes first",
					wording.Quoted(tensors[i].Name), wording.Quoted(tensors[order[n-1]].Name))
			}
			sorted = false
		}
		order = append(order, uint32(i))
	}
	if !sorted {
		slices.SortStableFunc(order, func(a, b uint32) int {
			return compareSpans(tensors[a].Offsets, tensors[b].Offsets)
		})
	}
	var last *Info // the tensor that ends at end
	for _, i := range order {
		ti := &tensors[i]
		switch {
		case ti.Offsets.Begin > end && !p.blind:
			p.hole(ti, Span{end, ti.Offsets.Begin})
		case ti.Offsets.Begin < end:
			p.found(Overlap, ti.Name, ti.Entry,
				"tensor %s begins at byte %d of the data, inside tensor %s %v",
				wording.Quoted(ti.Name), ti.Offsets.Begin, wording.Quoted(last.Name), last.Offsets)
		}
		if ti.Offsets.End >= end {
			end, last = ti.Offsets.End, ti
		}
	}
	return end
}

func (p *Parser) hole(ti *Info, gap Span) {
	p.found(Hole, ti.Name, gap.Shift(p.dataStart),
		"%s %v of the data, before tensor %s, belong to no tensor",
		wording.Count(gap.Len(), "byte"), gap, wording.Quoted(ti.Name))
}

// ends compares the end of the last tensor with the size of the file.
func (p *Parser) ends(end, size int64) {
	want := clamp.Add(p.dataStart, end)
	switch {
	case size < want:
		p.truncated(size, want)
	case size > want && !p.blind:
		p.found(Trailing, "", Span{want, size},
			"%s after the last tensor: expected a file of %v bytes, found %v",
			wording.Count(size-want, "byte"), wording.Grouped(want), wording.Grouped(size))
	}
}

// truncated reports by how many bytes the file is short, and which tensors are
// incomplete.
func (p *Parser) truncated(size, want int64) {
	const most = 3 // names in the message
	tensors := p.tensors
	var names []string
	short, first := 0, -1
	for i := range tensors {
		if tensors[i].Offsets.Shift(p.dataStart).End <= size || tensors[i].Offsets.Len() == 0 {
			continue
		}
		if first < 0 || compareSpans(tensors[i].Offsets, tensors[first].Offsets) < 0 {
			first = i
		}
		if short++; short <= most {
			names = append(names, wording.Quote(tensors[i].Name))
		}
	}
	list := strings.Join(names, ", ")
	if short > most {
		list += fmt.Sprintf(" and %d more", short-most)
	}
	var name string
	if first >= 0 {
		name = tensors[first].Name
	}
	p.found(Truncated, name, Span{size, want},
		"the file is %s short: expected %v bytes, found %v; %s",
		wording.Count(want-size, "byte"), wording.Grouped(want), wording.Grouped(size), incomplete(short, list))
}

func incomplete(short int, list string) string {
	switch short {
	case 0:
		return "no tensor is truncated, but an empty one is past the end"
	case 1:
		return "1 tensor is truncated: " + list
	}
	return fmt.Sprintf("%d tensors are truncated: %s", short, list)
}
