// The walk: from the end of the archive to its directory to its contents, and then
// through what is left.

package zipwalk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// The signatures with which records begin, by APPNOTE 4.3.
const (
	sigLocal      = "PK\x03\x04"
	sigCentral    = "PK\x01\x02"
	sigEnd        = "PK\x05\x06"
	sigEnd64      = "PK\x06\x06"
	sigLocator    = "PK\x06\x07"
	sigDescriptor = "PK\x07\x08"
)

// The sizes in bytes of the fixed parts of records.
const (
	localSize   = 30
	centralSize = 46
	endSize     = 22
	end64Size   = 56
	locatorSize = 20
)

// tailSize is how many bytes before the end of a file readers look for an end
// record: it may be followed by a comment of 65,535.
const tailSize = endSize + 1<<16 - 1

// A walker is a walk in progress.
type walker struct {
	*Archive
	opts    Options
	window  *bytesio.Window
	covered extent.Set     // what some record accounts for
	ends    []int64        // where end records were read
	tables  []int64        // where directories were read
	headers map[int64]bool // where the headers of listed members are, or should be
	budget  int64          // how many bytes may still be searched
	held    int            // bytes of names

	last        *entry // the local header that was read last: many members may say that it is theirs
	lastAt      int64
	headerBytes int  // of all that were read, which may overlap
	moved       bool // whether a prefix was reported
}

// Walk takes the archive of the given size behind r apart. The error is of reading
// r, and never of what was read.
func Walk(r io.ReaderAt, size int64, opts *Options) (*Archive, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size), headers: make(map[int64]bool)}
	if opts != nil {
		w.opts = *opts
	}
	w.opts.Members = cmp.Or(w.opts.Members, usualMembers)
	w.opts.Search = cmp.Or(w.opts.Search, usualSearch)
	for _, step := range []func() error{w.fromTail, w.fromGaps, w.orphans} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	w.judge()
	return w.Archive, nil
}

// Find returns where the file of the given size behind r says that it is a zip
// archive: 0 if it begins as one, or the offset of an end record near its end whose
// directory is where it says, or -1 if it does not.
func Find(r io.ReaderAt, size int64) (int64, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size)}
	if ok, err := w.isAt(sigLocal, 0); ok || err != nil {
		return 0, err
	}
	ends, err := w.tailEnds()
	if err != nil {
		return -1, err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		e, err := w.readEnd(ends[i])
		if err != nil {
			return -1, err
		}
		for _, t := range w.locate(e) {
			if ok, err := w.isAt(sigCentral, t.offset); ok || err != nil {
				return ends[i], err
			}
		}
	}
	return -1, nil
}

// isAt says whether a signature stands at off.
func (w *walker) isAt(sig string, off int64) (bool, error) {
	b, err := w.window.At(off, len(sig))
	return string(b) == sig, err
}

// tailEnds returns the offsets of what looks like end records near the end of the
// file, ascending. Of many, as a comment could be full of, the last few are enough:
// readers take the last.
func (w *walker) tailEnds() ([]int64, error) {
	const most = 8
	begin := max(w.size-tailSize, 0)
	tail := make([]byte, w.size-begin)
	if err := bytesio.ReadFull(w.r, tail, begin); err != nil {
		return nil, err
	}
	var ends []int64
	for n := len(tail) - endSize; n >= 0 && len(ends) < most; n-- {
		n = bytes.LastIndex(tail[:n+len(sigEnd)], []byte(sigEnd))
		if n < 0 {
			break
		}
		ends = append([]int64{begin + int64(n)}, ends...)
	}
	return ends, nil
}

// fromTail reads the directory that the last end record points to, which is the
// one that readers take, and then those of the others that are nobody's content.
func (w *walker) fromTail() error {
	ends, err := w.tailEnds()
	if err != nil {
		return err
	}
	if len(ends) == 0 {
		w.fault(NoEnd, -1, w.size, "the archive has no end record: it is cut off, or its end was removed")
		w.Partial = "the archive has no directory that can be found"
		return nil
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if w.covered.Has(ends[i]) && !w.inComment(ends[i]) {
			continue // the end of an archive in this one
		}
		if err := w.end(ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// inComment says whether the byte at off is one of a comment.
func (w *walker) inComment(off int64) bool {
	for _, c := range w.Comments {
		if c.Begin <= off && off < c.End {
			return true
		}
	}
	return false
}

// fromGaps looks for end records in what is not accounted for: those of archives
// that this one was appended to.
func (w *walker) fromGaps() error {
	w.budget = w.opts.Search
	const most = 8 // end records
	for _, gap := range w.covered.Holes(extent.Span{End: w.size}) {
		marks, err := w.search(gap, sigEnd)
		if err != nil {
			return err
		}
		for i := len(marks) - 1; i >= 0 && len(w.ends) < most; i-- {
			if at := marks[i].offset; !w.covered.Has(at) && at+endSize <= w.size {
				if err := w.end(at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A mark is where a signature stands.
type mark struct {
	sig    string
	offset int64
}

// search returns where the signatures stand in a span, as far as the budget goes.
func (w *walker) search(span extent.Span, sigs ...string) ([]mark, error) {
	const block = 64 << 10
	const most = 1 << 16 // marks
	buf := make([]byte, min(block, span.Len()))
	var marks []mark
	for at := span.Begin; at < span.End && len(marks) < most; {
		n := min(span.End-at, int64(len(buf)), w.budget)
		if n < int64(len(sigLocal)) {
			if w.budget < span.End-at {
				w.Partial = "more bytes than are searched belong to no entry of the archive"
			}
			break
		}
		if err := bytesio.ReadFull(w.r, buf[:n], at); err != nil {
			return nil, err
		}
		for i := 0; ; i++ {
			next := bytes.Index(buf[i:n], []byte("PK"))
			if next < 0 {
				break
			}
			i += next
			for _, sig := range sigs {
				if bytes.HasPrefix(buf[i:n], []byte(sig)) {
					marks = append(marks, mark{sig, at + int64(i)})
				}
			}
		}
		if n == span.End-at {
			break
		}
		step := n - int64(len(sigLocal)) + 1 // a signature may lie across two blocks
		at, w.budget = at+step, w.budget-step
	}
	return marks, nil
}

// The fields of records are little-endian.
func u16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
