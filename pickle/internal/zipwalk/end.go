// End records, which locate the directory.

package zipwalk

import (
	"bufio"
	"io"
	"math"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// An end is an end record with its zip64 records.
type end struct {
	offset int64
	claims []claim // one, or two with zip64; readers use the last
	start  int64   // offset of the first record; the directory must end before it
	bare   bool    // all claims say that there are no entries
	wide   bool    // a zip64 record is directly before its locator
}

// A claim is what one record says about the directory.
type claim struct {
	entries, size, offset uint64
	ends                  int64 // offset of the record, where the directory ends
}

// A table is a possible position of the directory.
type table struct {
	offset int64
	// base is the number of bytes before the archive, which must be added to offsets in the directory.
	base          int64
	torch, python bool // PyTorch or Python looks here
	// guess means that only readers without zip64 look here, and only if there is no directory at the offset in the
	// plain end record. ends is the offset at which the directory must end.
	guess bool
	ends  int64
}

// end reads the end record at off and the directory that it locates.
func (w *walker) end(off int64) error {
	e, err := w.readEnd(off)
	if err != nil {
		return err
	}
	last := len(w.ends) == 0
	if !last {
		w.fault(ManyEnds, -1, off, "there is another end record at byte %d; readers may use either", off)
	}
	w.ends = append(w.ends, off)
	found := false
	for _, t := range w.locate(e) {
		ok, err := w.isAt(sigCentral, t.offset)
		if err != nil {
			return err
		}
		if !ok || slices.Contains(w.tables, t.offset) {
			found = found || ok
			continue
		}
		if ok, err = w.believes(e, t); err != nil {
			return err
		}
		if !ok {
			continue
		}
		if found {
			w.fault(BadEnd, -1, off, "the end record at byte %d matches two directories", off)
		}
		found = true
		w.tables = append(w.tables, t.offset)
		if err := w.directory(e, t, last); err != nil {
			return err
		}
	}
	if !found && !e.bare {
		w.fault(BadEnd, -1, off, "there is no directory at the offset in the end record at byte %d", off)
		if last {
			w.Partial = "there is no directory at the offset in the end record"
		}
	}
	return nil
}

// readEnd reads the end record at off and its zip64 records, and checks them.
func (w *walker) readEnd(off int64) (*end, error) {
	b, err := w.window.At(off, endSize)
	if err != nil {
		return nil, err
	}
	e := &end{offset: off, start: off}
	e.claims = []claim{{uint64(u16(b, 10)), uint64(u32(b, 12)), uint64(u32(b, 16)), off}}
	if u16(b, 4) != 0 || u16(b, 6) != 0 || u16(b, 8) != u16(b, 10) {
		w.fault(BadEnd, -1, off, "the end record says that the archive spans several disks")
	}
	comment := extent.Span{Begin: off + endSize, End: off + endSize + int64(u16(b, 20))}
	if comment.End > w.size {
		w.fault(BadEnd, -1, off, "the comment has length %d, but %d bytes are left", comment.Len(), w.size-comment.Begin)
		comment.End = w.size
	}
	w.covered.Add(extent.Span{Begin: off, End: comment.End})
	if comment.Len() > 0 {
		w.Comments = append(w.Comments, comment)
	}
	if err := w.readEnd64(e); err != nil {
		return nil, err
	}
	e.bare = true
	for _, c := range e.claims {
		e.bare = e.bare && c.entries == 0 && c.size == 0
	}
	return e, nil
}

// readEnd64 reads the zip64 records, if there are any. The locator before the end record has the offset of the zip64
// end record; Python expects that directly before the locator instead.
func (w *walker) readEnd64(e *end) error {
	at := e.offset - locatorSize
	b, err := w.window.At(at, locatorSize)
	if err != nil || len(b) < locatorSize || string(b[:4]) != sigLocator {
		return err
	}
	said, disks := u64(b, 8), u32(b, 16)
	w.covered.Add(extent.Span{Begin: at, End: e.offset})
	e.start = at
	places := []int64{at - end64Size}
	if said != uint64(places[0]) {
		w.fault(BadEnd, -1, at, "the zip64 locator points to byte %d, and not to the record before it", said)
		places = append(places, int64(min(said, math.MaxInt64)))
	}
	for i := len(places) - 1; i >= 0; i-- {
		b, err := w.window.At(places[i], end64Size)
		if err != nil {
			return err
		}
		if len(b) < end64Size || string(b[:4]) != sigEnd64 {
			continue
		}
		if disks > 1 || u32(b, 16) != 0 || u32(b, 20) != 0 || u64(b, 24) != u64(b, 32) {
			w.fault(BadEnd, -1, places[i], "the zip64 end record says that the archive spans several disks")
		}
		c := claim{u64(b, 32), u64(b, 40), u64(b, 48), places[i]}
		e.wide = e.wide || i == 0
		w.compare(e.claims[0], c)
		e.claims = append(e.claims, c)
		e.start = min(e.start, places[i])
		w.covered.Add(extent.Span{Begin: places[i], End: places[i] + end64Size})
	}
	if len(e.claims) == 1 {
		w.fault(BadEnd, -1, at, "there is no zip64 end record at the offset in its locator")
	}
	return nil
}

// compare compares the plain end record with the zip64 one, which holds values that do not fit into the former. Those
// fields of the former are all ones.
func (w *walker) compare(plain, wide claim) {
	differs := func(plain, wide, ones uint64) bool { return plain != wide && plain != ones }
	if differs(plain.entries, wide.entries, math.MaxUint16) || differs(plain.size, wide.size, math.MaxUint32) ||
		differs(plain.offset, wide.offset, math.MaxUint32) {
		w.fault(BadEnd, -1, plain.ends,
			"the end records disagree: %d entries in %d bytes at %d, and in zip64 %d entries in %d bytes at %d",
			plain.entries, plain.size, plain.offset, wide.entries, wide.size, wide.offset)
	}
}

// believes reports whether some reader uses the directory at t. The records of zip64 are between the directory and the
// plain end record, so the position before the latter is wrong in every valid archive, and can have the signature of
// another entry by chance: the first entry of an archive of PyTorch is often as long as these records. Go's reader
// looks there if there is no entry at the offset in the plain record; older ones use a directory that is complete.
func (w *walker) believes(e *end, t table) (bool, error) {
	if !t.guess {
		return true, nil
	}
	ok, err := w.isAt(sigCentral, int64(e.claims[0].offset)) // locate has compared it with the size
	if !ok || err != nil {
		return !ok, err
	}
	in := bufio.NewReader(io.NewSectionReader(w.r, t.offset, t.ends-t.offset))
	for at := t.offset; at < t.ends; {
		entry, err := readCentral(in)
		if entry == nil || err != nil {
			return false, err
		}
		if ok, err := w.isAt(sigLocal, saturate(entry.offset)+t.base); !ok || err != nil {
			return false, err
		}
		at += entry.length
	}
	return true, nil
}

// locate returns the possible positions of the directory: at the offset in the record, where PyTorch looks, and
// directly before the record, where Python's zipfile looks. They differ if there are bytes before the archive.
func (w *walker) locate(e *end) []table {
	var tables []table
	add := func(t table) {
		i := slices.IndexFunc(tables, func(other table) bool { return other.offset == t.offset })
		switch {
		case t.offset < 0 || t.offset >= e.offset:
		case i < 0:
			tables = append(tables, t)
		default:
			tables[i].torch = tables[i].torch || t.torch
			tables[i].python = tables[i].python || t.python
			tables[i].guess = tables[i].guess && t.guess
		}
	}
	for i := len(e.claims) - 1; i >= 0; i-- {
		c := e.claims[i]
		if c.offset >= uint64(w.size) || i == 0 && len(e.claims) > 1 && c.offset == math.MaxUint32 {
			continue
		}
		add(table{offset: int64(c.offset), torch: true})
		if c.size > 0 && c.size <= uint64(c.ends) { // an empty directory would be at its own end
			at := c.ends - int64(c.size)
			guess := i == 0 && e.wide
			add(table{offset: at, base: at - int64(c.offset), python: !guess, guess: guess, ends: c.ends})
		}
	}
	return tables
}
