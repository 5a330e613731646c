// Reading: the few bytes that say a shape which no header tells.

package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/ahead"
	"github.com/weightools/safetensors/internal/window"
)

// What is read are parts of a few hundred bytes, which writers as a rule put next to
// each other: tensors of one dtype stand together, in the order of their names. So
// what is near is read at once.
const (
	mostText = 64 << 10 // bytes of one part: JSON of a shape and some names
	gapText  = 16 << 10 // bytes that are read across, rather than by two reads
	runText  = 1 << 20  // bytes of one read
	allTexts = 16 << 20 // bytes that are read of a model, and held
	maxReads = 10_000
)

// A text is a part to be read.
type text struct {
	e          *entry
	begin, end int64 // in the file
}

// A run is texts that are near each other in one file, and read at once.
type run struct {
	texts []text
	size  int64 // bytes from the first to the last
	from  io.ReaderAt
}

// readTexts reads the parts that say a shape or a format, where nothing else does.
// What cannot be read is not there; a note says so.
func (c *counter) readTexts() map[*entry][]byte {
	runs, dropped := c.runs()
	texts := make(map[*entry][]byte)
	reads := ahead.Each(context.Background(), max(c.Parallel, 1), len(runs), func(_ context.Context, i int) read { return runs[i].read() })
	for i, r := range reads {
		if r.err != nil {
			c.notes.add("shapes are not read: %v", r.err)
			return texts
		}
		begin := runs[i].texts[0].begin
		for _, t := range runs[i].texts {
			texts[t.e] = r.data[t.begin-begin : t.end-begin : t.end-begin]
		}
	}
	if dropped {
		c.notes.add("not all shapes are read: they are in more than %d places, or take more than %d MiB", c.mostReads(), allTexts>>20)
	}
	return texts
}

// mostReads returns how many reads are made at most.
func (c *counter) mostReads() int {
	if c.MaxReads > 0 {
		return c.MaxReads
	}
	return maxReads
}

// runs returns the reads to be made, and whether there would be more than are allowed.
func (c *counter) runs() (runs []run, dropped bool) {
	room := int64(allTexts)
	for i, list := range c.wanted() {
		slices.SortFunc(list, func(a, b text) int { return cmp.Compare(a.begin, b.begin) })
		for len(list) > 0 {
			n, size := near(list)
			if len(runs) == c.mostReads() || size > room {
				return runs, true
			}
			room -= size
			runs = append(runs, run{list[:n], size, c.files[i].Data})
			list = list[n:]
		}
	}
	return runs, false
}

// wanted returns the texts of each file without which a module is not known exactly.
func (c *counter) wanted() [][]text {
	byFile := make([][]text, len(c.files))
	if !slices.ContainsFunc(c.files, func(f File) bool { return f.Data != nil }) {
		return byFile
	}
	m := module{files: c.files, notes: new(notes)} // what there is to note is noted when it is judged
	for _, name := range c.order {
		if !c.hasText(name) {
			continue
		}
		c.assemble(&m, name)
		if s, _, v := m.match(c.config); s == nil || v.n.Exact() {
			continue
		}
		for _, r := range [...]role{quantState, shapeOf, marker} {
			e := m.parts[r]
			if e == nil || c.files[e.file].Data == nil {
				continue
			}
			at := c.files[e.file].Header.FileSpan(e.ti)
			if n := e.ti.Size(); n > 0 && n <= mostText && at.Begin > 0 && at.End > at.Begin {
				byFile[e.file] = append(byFile[e.file], text{e, at.Begin, at.End})
			}
		}
	}
	return byFile
}

// hasText says whether a module has a part that may have to be read.
func (c *counter) hasText(name string) bool {
	for i := c.modules[name]; i >= 0; i = c.entries[i].next {
		if r := c.entries[i].role; r == quantState || r == shapeOf || r == marker {
			return true
		}
	}
	return false
}

// near returns how many of the texts, which are in the order of their beginnings, are
// read at once, and how many bytes that takes.
func near(list []text) (n int, size int64) {
	begin, end := list[0].begin, list[0].end
	for n = 1; n < len(list); n++ {
		t := &list[n]
		if t.begin > end+gapText || max(end, t.end)-begin > runText {
			break
		}
		end = max(end, t.end)
	}
	return n, end - begin
}

// A read is what came of reading a run.
type read struct {
	data []byte
	err  error
}

func (r *run) read() read {
	b := make([]byte, r.size)
	begin := r.texts[0].begin
	if err := window.ReadFull(r.from, b, begin); err != nil {
		return read{err: fmt.Errorf("bytes %d-%d: %w", begin, begin+r.size, err)}
	}
	return read{data: b}
}
