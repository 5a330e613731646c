// End records: where the directory is said to be.

package zipwalk

import (
	"math"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// An end is an end record, and those of zip64 before it.
type end struct {
	offset int64
	claims []claim // one, or with zip64 two; the last is what readers take
	start  int64   // of the first of its records: a directory ends before
	bare   bool    // whether there is no entry, by all claims
}

// A claim is what one record says of the directory.
type claim struct {
	entries, size, offset uint64
	ends                  int64 // where the record stands: the directory ends there
}

// A table is where a directory may be.
type table struct {
	offset int64
	// base is what has to be added to offsets in the directory: not 0 if bytes were
	// put before the archive.
	base          int64
	torch, python bool // whether these look here
}

// end reads the end record at off, and what it points to.
func (w *walker) end(off int64) error {
	e, err := w.readEnd(off)
	if err != nil {
		return err
	}
	last := len(w.ends) == 0
	if !last {
		w.fault(ManyEnds, -1, off, "a second end record stands at byte %d: readers may take either", off)
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
		if found {
			w.fault(BadEnd, -1, off, "the end record at byte %d fits two directories", off)
		}
		found = true
		w.tables = append(w.tables, t.offset)
		if err := w.directory(e, t, last); err != nil {
			return err
		}
	}
	if !found && !e.bare {
		w.fault(BadEnd, -1, off, "there is no directory where the end record at byte %d says", off)
		if last {
			w.Partial = "there is no directory where the end record says"
		}
	}
	return nil
}

// readEnd reads the end record at off and those of zip64, and takes note of what is
// wrong with them.
func (w *walker) readEnd(off int64) (*end, error) {
	b, err := w.window.At(off, endSize)
	if err != nil {
		return nil, err
	}
	e := &end{offset: off, start: off}
	e.claims = []claim{{uint64(u16(b, 10)), uint64(u32(b, 12)), uint64(u32(b, 16)), off}}
	if u16(b, 4) != 0 || u16(b, 6) != 0 || u16(b, 8) != u16(b, 10) {
		w.fault(BadEnd, -1, off, "the end record says that the archive is one of several disks")
	}
	comment := extent.Span{Begin: off + endSize, End: off + endSize + int64(u16(b, 20))}
	if comment.End > w.size {
		w.fault(BadEnd, -1, off, "the comment is said to take %d bytes, and %d are left", comment.Len(), w.size-comment.Begin)
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

// readEnd64 reads the records of zip64, if there are any. The locator before the end
// record says where the other is; Python looks right before the locator instead.
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
		w.fault(BadEnd, -1, at, "the zip64 end record is said to be at byte %d, and not right before its locator", said)
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
			w.fault(BadEnd, -1, places[i], "the zip64 end record says that the archive is one of several disks")
		}
		c := claim{u64(b, 32), u64(b, 40), u64(b, 48), places[i]}
		w.compare(e.claims[0], c)
		e.claims = append(e.claims, c)
		e.start = min(e.start, places[i])
		w.covered.Add(extent.Span{Begin: places[i], End: places[i] + end64Size})
	}
	if len(e.claims) == 1 {
		w.fault(BadEnd, -1, at, "there is no zip64 end record where its locator says")
	}
	return nil
}

// compare compares the plain end record with that of zip64, which is there for
// what the fields of the former cannot hold: those are all ones then.
func (w *walker) compare(plain, wide claim) {
	differs := func(plain, wide, ones uint64) bool { return plain != wide && plain != ones }
	if differs(plain.entries, wide.entries, math.MaxUint16) || differs(plain.size, wide.size, math.MaxUint32) || differs(plain.offset, wide.offset, math.MaxUint32) {
		w.fault(BadEnd, -1, plain.ends, "the two end records disagree: %d entries, %d bytes at %d, and by zip64 %d entries, %d bytes at %d",
			plain.entries, plain.size, plain.offset, wide.entries, wide.size, wide.offset)
	}
}

// locate returns where the directory may be: where the records say, which is where
// PyTorch looks, and where it is if it ends right before them, which is where
// Python's zipfile looks. The two differ if bytes were put before the archive.
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
		}
	}
	for i := len(e.claims) - 1; i >= 0; i-- {
		c := e.claims[i]
		if c.offset >= uint64(w.size) || i == 0 && len(e.claims) > 1 && c.offset == math.MaxUint32 {
			continue
		}
		add(table{offset: int64(c.offset), torch: true})
		if c.size > 0 && c.size <= uint64(c.ends) { // without an entry it would be where it ends
			at := c.ends - int64(c.size)
			add(table{offset: at, base: at - int64(c.offset), python: true})
		}
	}
	return tables
}
