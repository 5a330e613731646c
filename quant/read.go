// Reading: the few bytes that say a shape which no header tells.

package quant

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// What is read are parts of a few hundred bytes, which writers as a rule put next to
// each other: tensors of one dtype stand together, in the order of their names. So
// what is near is read at once.
const (
	mostText = 4 << 10  // bytes of one part: JSON of a shape and some names
	gapText  = 16 << 10 // bytes that are read across, rather than by two reads
	runText  = 1 << 20  // bytes of one read
	allTexts = 64 << 20 // bytes that are read of a model, and held
)

// A text is a part to be read.
type text struct {
	e          *entry
	begin, end int64 // in the file
}

// readTexts reads the parts that say a shape or a format. What cannot be read is
// not there; a note says so.
func (c *counter) readTexts() map[*entry][]byte {
	byFile := make([][]text, len(c.files))
	for i := range c.entries {
		e := &c.entries[i]
		if e.role != quantState && e.role != shapeOf && e.role != marker || c.files[e.file].Data == nil {
			continue
		}
		at := c.files[e.file].Header.FileSpan(e.ti)
		if n := e.ti.Size(); n > 0 && n <= mostText && at.Begin > 0 && at.End > at.Begin {
			byFile[e.file] = append(byFile[e.file], text{e, at.Begin, at.End})
		}
	}
	texts := make(map[*entry][]byte)
	reads, room := c.maxReads, int64(allTexts)
	for i, list := range byFile {
		slices.SortFunc(list, func(a, b text) int { return cmp.Compare(a.begin, b.begin) })
		for len(list) > 0 {
			n, size := run(list)
			if reads--; reads < 0 || size > room {
				c.notes.add("not all shapes are read: they are in more than %d places", c.maxReads)
				return texts
			}
			room -= size
			if err := c.readRun(c.files[i].Data, list[:n], size, texts); err != nil {
				c.notes.add("shapes are not read: %v", err)
				return texts
			}
			list = list[n:]
		}
	}
	return texts
}

// run returns how many of the texts, which are in the order of their beginnings, are
// read at once, and how many bytes that takes.
func run(list []text) (n int, size int64) {
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

// readRun reads texts that lie within size bytes.
func (c *counter) readRun(r io.ReaderAt, list []text, size int64, texts map[*entry][]byte) error {
	b := make([]byte, size)
	begin := list[0].begin
	if n, err := r.ReadAt(b, begin); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("bytes %d-%d: %w", begin, begin+size, err)
	}
	for _, t := range list {
		texts[t.e] = b[t.begin-begin : t.end-begin : t.end-begin]
	}
	return nil
}
