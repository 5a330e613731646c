// Merging of findings that differ only in offset and numbers.

package pickle

import (
	"cmp"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A kinship identifies findings that are merged: the rule, the message format, and its arguments except numbers. Names
// are included, so that a dangerous one is never merged with a harmless one.
type kinship struct {
	rule     Rule
	severity Severity
	format   string
	words    [4]any
}

// kin returns the kinship of a finding with a message of format and args.
func kin(rule Rule, severity Severity, format string, args []any) kinship {
	k := kinship{rule: rule, severity: severity, format: format}
	n := 0
	for _, arg := range args {
		switch arg.(type) {
		case string, opcode.Code, heap.Kind:
			if n < len(k.words) {
				k.words[n] = arg
				n++
			}
		}
	}
	return k
}

// addAlike adds a finding, or counts it with the finding that it equals except for offset and numbers.
func (f *findings) addAlike(k kinship, n Finding) {
	n.Count = max(n.Count, 1)
	f.noticed(n.Rule, n.Severity)
	if i, ok := f.index[k]; ok {
		f.list[i].Join(&n)
		return
	}
	if f.full(n.Rule, n.Severity) {
		f.omitted += int(n.Count)
		return
	}
	if f.counts == nil {
		f.counts, f.index = map[Rule]int{}, map[kinship]int{}
	}
	const size = 400 // approximate bytes of a finding and its index entry
	f.bytes += size + 2*int64(len(n.Message))
	f.counts[n.Rule]++
	f.index[k] = len(f.list)
	f.list, f.alike = append(f.list, n), append(f.alike, k)
}

// Join adds the count and offsets of more to n. Equal offsets mean the same finding, met again when the data was parsed
// in another way.
func (n *Finding) Join(more *Finding) {
	if n.Offset == more.Offset {
		return
	}
	for _, off := range append([]int64{more.Offset}, more.Also[:min(more.Count-1, int64(len(more.Also)))]...) {
		if i := n.Count - 1; i < int64(len(n.Also)) {
			n.Also[i] = off
		}
		n.Count++
	}
	n.Count += max(more.Count-1-int64(len(more.Also)), 0)
}

// move adds base to all offsets.
func (n *Finding) move(base int64) {
	n.Offset += base
	for i := range n.Also[:max(min(n.Count-1, int64(len(n.Also))), 0)] {
		n.Also[i] += base
	}
}

// has reports whether the list contains an equal finding at the offset.
func (f *findings) has(k kinship, off int64) bool {
	i, ok := f.index[k]
	if !ok {
		return false
	}
	n := &f.list[i]
	return n.Offset == off || n.Count > int64(len(n.Also)) || slices.Contains(n.Also[:n.Count-1], off)
}

// noticed records the worst verdict, in total and since the last call of watch.
func (f *findings) noticed(rule Rule, severity Severity) {
	v := severity.Verdict()
	f.verdict = max(f.verdict, v)
	if v > f.worse || f.because == "" {
		f.because, f.worse = rule, max(v, f.worse)
	}
}

// watch starts recording the findings about something whose verdict is v so far.
func (f *findings) watch(v Verdict) { f.because, f.worse = "", v }

// forget removes the findings, but not the imports and calls.
func (f *findings) forget() {
	if len(f.list) > 0 {
		f.list, f.alike = f.list[:0], f.alike[:0]
		clear(f.counts)
		clear(f.index)
	}
}

// sorted returns the findings by offset. No more can be added afterwards.
func (f *findings) sorted() []Finding {
	slices.SortStableFunc(f.list, func(x, y Finding) int { return cmp.Compare(x.Offset, y.Offset) })
	return f.list
}
