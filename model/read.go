// Reading: the few bytes that contain a shape which no header has.

package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// The tensors that are read have a few hundred bytes, and writers usually store them next to each other:
// tensors of one dtype in the order of their names. So neighbors are read at once.
const (
	maxText  = 64 << 10 // bytes of one tensor: JSON of a shape and some names
	maxGap   = 16 << 10 // bytes between two tensors that are read at once
	maxRun   = 1 << 20  // bytes of one read
	maxTexts = 16 << 20 // bytes of all tensors
)

// A text is a tensor to be read.
type text struct {
	t          *scheme.Tensor
	begin, end int64 // in the file
}

// A run is texts that are near each other in one file and are read at once.
type run struct {
	texts []text
	size  int64 // bytes from the first to the last
	from  io.ReaderAt
}

// readTexts reads the tensors that contain a shape or a format, where they are needed. If they cannot be
// read, it adds a note.
func (c *counter) readTexts() map[*scheme.Tensor][]byte {
	runs, dropped := c.runs()
	texts := make(map[*scheme.Tensor][]byte)
	reads := bytesio.Ahead(context.Background(), c.limitParallel(), len(runs),
		func(_ context.Context, i int) read { return runs[i].read() })
	for i, r := range reads {
		if r.err != nil {
			c.notes.Add("cannot read shapes: %v", r.err)
			return texts
		}
		begin := runs[i].texts[0].begin
		for _, t := range runs[i].texts {
			texts[t.t] = r.data[t.begin-begin : t.end-begin : t.end-begin]
		}
	}
	if dropped {
		c.notes.Add("not all shapes were read: they are in more than %d places or exceed %d MiB", c.limitReads(),
			maxTexts>>20)
	}
	return texts
}

// limitReads returns the most reads that are made. The largest models that bitsandbytes packs without experts
// have 700 matrices, each with its shape in another place.
func (m *Model) limitReads() int {
	switch {
	case m.MaxReads > 0:
		return m.MaxReads
	case m.Remote:
		return 1000
	}
	return 10_000
}

// limitParallel returns the number of reads at a time.
func (m *Model) limitParallel() int {
	switch {
	case m.Parallel > 0:
		return m.Parallel
	case m.Remote:
		return 64
	}
	return 1
}

// runs returns the reads to make, and whether the limits left some out.
func (c *counter) runs() (runs []run, dropped bool) {
	left := int64(maxTexts)
	for i, list := range c.wanted() {
		slices.SortFunc(list, func(a, b text) int { return cmp.Compare(a.begin, b.begin) })
		for len(list) > 0 {
			n, size := near(list)
			if len(runs) == c.limitReads() || size > left {
				return runs, true
			}
			left -= size
			runs = append(runs, run{list[:n], size, c.Files[i].Data})
			list = list[n:]
		}
	}
	return runs, false
}

// wanted returns the texts of each file without which a module cannot be counted exactly.
func (c *counter) wanted() [][]text {
	byFile := make([][]text, len(c.Files))
	if !slices.ContainsFunc(c.Files, func(f File) bool { return f.Data != nil }) {
		return byFile
	}
	var m scheme.Module
	for _, name := range c.order {
		if !c.hasText(name) {
			continue
		}
		c.assemble(&m, name)
		if s, v := m.Match(&c.context); s == nil || v.N.Exact() {
			continue
		}
		for _, r := range [...]parts.Role{parts.QuantState, parts.ShapeOf, parts.Marker} {
			t := m.Parts[r]
			if t == nil || c.Files[t.File].Data == nil {
				continue
			}
			at := c.Files[t.File].Header.FileSpan(t.Info)
			if n := t.Info.Size(); n > 0 && n <= maxText && at.Begin > 0 && at.End > at.Begin {
				byFile[t.File] = append(byFile[t.File], text{t, at.Begin, at.End})
			}
		}
	}
	return byFile
}

// hasText reports whether a module has a part that may have to be read.
func (c *counter) hasText(name string) bool {
	for i := c.modules[name]; i >= 0; i = c.entries[i].next {
		if r := c.entries[i].role; r == parts.QuantState || r == parts.ShapeOf || r == parts.Marker {
			return true
		}
	}
	return false
}

// near returns how many of the texts, which are sorted by where they begin, are read at once, and how many
// bytes that takes.
func near(list []text) (n int, size int64) {
	begin, end := list[0].begin, list[0].end
	for n = 1; n < len(list); n++ {
		t := &list[n]
		if t.begin > end+maxGap || max(end, t.end)-begin > maxRun {
			break
		}
		end = max(end, t.end)
	}
	return n, end - begin
}

// A read is the result of reading a run.
type read struct {
	data []byte
	err  error
}

func (r *run) read() read {
	b := make([]byte, r.size)
	begin := r.texts[0].begin
	if err := bytesio.ReadFull(r.from, b, begin); err != nil {
		return read{err: fmt.Errorf("bytes %d-%d: %w", begin, begin+r.size, err)}
	}
	return read{data: b}
}
