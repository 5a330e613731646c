// Tiling: whether the tensors cover the data once and wholly.

package header

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// tile judges whether the tensors cover the data without overlap or hole. It
// returns the end of the last one.
//
// Where a tensor's offsets are not known, what looks like a hole may be its own,
// so none is reported.
func (p *Parser) tile() (end int64) {
	tensors := p.tensors
	order := make([]uint32, 0, len(tensors))
	sorted := true
	for i := range tensors {
		if tensors[i].Offsets == noOffsets {
			p.blind = true
			continue
		}
		if n := len(order); n > 0 && compareOffsets(tensors[order[n-1]].Offsets, tensors[i].Offsets) > 0 {
			if sorted && p.All {
				p.found(EntryOrder, tensors[i].Name, tensors[i].Entry,
					"tensor %s is listed after %s, and its data comes before", wording.Quoted(tensors[i].Name), wording.Quoted(tensors[order[n-1]].Name))
			}
			sorted = false
		}
		order = append(order, uint32(i))
	}
	if !sorted {
		slices.SortStableFunc(order, func(a, b uint32) int { return compareOffsets(tensors[a].Offsets, tensors[b].Offsets) })
	}
	var last *Info // the tensor that reaches to end
	for _, i := range order {
		ti := &tensors[i]
		switch {
		case ti.Offsets.Begin > end && !p.blind:
			p.hole(ti, Span{end, ti.Offsets.Begin})
		case ti.Offsets.Begin < end:
			p.found(Overlap, ti.Name, ti.Entry,
				"tensor %s begins at %d of the data, inside tensor %s %v", wording.Quoted(ti.Name), ti.Offsets.Begin, wording.Quoted(last.Name), last.Offsets)
		}
		if ti.Offsets.End >= end {
			end, last = ti.Offsets.End, ti
		}
	}
	return end
}

func (p *Parser) hole(ti *Info, gap Span) {
	p.found(Hole, ti.Name, gap.Shift(p.dataStart),
		"%s %v of the data before tensor %s belong to no tensor", wording.Count(gap.Len(), "byte"), gap, wording.Quoted(ti.Name))
}

func compareOffsets(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End))
}

// ends judges whether the file of the given size ends where the last tensor
// does.
func (p *Parser) ends(end, size int64) {
	want := Add(p.dataStart, end)
	switch {
	case size < want:
		p.truncated(size, want)
	case size > want && !p.blind:
		p.found(Trailing, "", Span{want, size},
			"the file goes on for %s after its last tensor: %v were expected, %v are there", wording.Count(size-want, "byte"), wording.Grouped(want), wording.Grouped(size))
	}
}

// truncated says by how many bytes the file is short, and which tensors it hurts.
func (p *Parser) truncated(size, want int64) {
	const most = 3 // names; the rest is counted
	tensors := p.tensors
	var names []string
	hurt, first := 0, -1
	for i := range tensors {
		if tensors[i].Offsets.Shift(p.dataStart).End <= size || tensors[i].Offsets.Len() == 0 {
			continue
		}
		if first < 0 || compareOffsets(tensors[i].Offsets, tensors[first].Offsets) < 0 {
			first = i
		}
		if hurt++; hurt <= most {
			names = append(names, wording.Quote(tensors[i].Name))
		}
	}
	list := strings.Join(names, ", ")
	if hurt > most {
		list += fmt.Sprintf(" and %d more", hurt-most)
	}
	var name string
	if first >= 0 {
		name = tensors[first].Name
	}
	p.found(Truncated, name, Span{size, want},
		"the file is %s short: %v were expected, %v are there; %s", wording.Count(want-size, "byte"), wording.Grouped(want), wording.Grouped(size), cutOff(hurt, list))
}

func cutOff(hurt int, list string) string {
	switch hurt {
	case 0:
		return "no tensor is cut off, but an empty one lies past the end"
	case 1:
		return "1 tensor is cut off: " + list
	}
	return fmt.Sprintf("%d tensors are cut off: %s", hurt, list)
}
