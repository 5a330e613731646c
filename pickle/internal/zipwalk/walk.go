// The walk: from the end of the archive to the directory, the local headers, and the remaining bytes.

package zipwalk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// Signatures of records (APPNOTE 4.3).
const (
	sigLocal      = "PK\x03\x04"
	sigCentral    = "PK\x01\x02"
	sigEnd        = "PK\x05\x06"
	sigEnd64      = "PK\x06\x06"
	sigLocator    = "PK\x06\x07"
	sigDescriptor = "PK\x07\x08"
)

// Sizes of the fixed parts of records, in bytes.
const (
	localSize   = 30
	centralSize = 46
	endSize     = 22
	end64Size   = 56
	locatorSize = 20
)

// tailSize is the size of the end of a file in which readers look for an end record. A comment of up to 65,535 bytes
// can follow it.
const tailSize = endSize + 1<<16 - 1

// A walker is the state of a walk.
type walker struct {
	*Archive
	opts    Options
	window  *bytesio.Window
	covered extent.Set     // bytes of known records
	ends    []int64        // offsets of end records
	tables  []int64        // offsets of directories
	headers map[int64]bool // offsets of local headers of listed members, existing or not
	budget  int64          // bytes that may still be searched
	held    int            // bytes of names

	last        *entry // the most recent local header, which many members may share
	lastAt      int64
	headerBytes int  // bytes of local headers read
	moved       bool // bytes before the archive were reported
}

// Walk parses the archive of the given size in r. The error is a read error, never one of the contents.
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
	w.crossCheck()
	return w.Archive, nil
}

// Find returns the offset at which a file identifies itself as a zip archive: 0 if it starts as one; or the offset of
// an end record near its end with a directory in the right place; or -1.
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

// isAt reports whether there is a signature at off.
func (w *walker) isAt(sig string, off int64) (bool, error) {
	b, err := w.window.At(off, len(sig))
	return string(b) == sig, err
}

// tailEnds returns the ascending offsets of possible end records near the end of the file. A comment can be full of
// them; the last few are sufficient, because readers use the last.
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

// fromTail reads the directory of the last end record, which readers use, and then those of other end records outside
// contents.
func (w *walker) fromTail() error {
	ends, err := w.tailEnds()
	if err != nil {
		return err
	}
	if len(ends) == 0 {
		w.fault(NoEnd, -1, w.size, "the archive has no end record: it is truncated, or its end was removed")
		w.Partial = "the archive has no directory"
		return nil
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if w.covered.Has(ends[i]) && !w.inComment(ends[i]) {
			continue // the end of a nested archive
		}
		if err := w.end(ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// inComment reports whether the byte at off is inside a comment.
func (w *walker) inComment(off int64) bool {
	for _, c := range w.Comments {
		if c.Begin <= off && off < c.End {
			return true
		}
	}
	return false
}

// fromGaps searches the gaps for end records of archives in front of this one.
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

// A mark is the position of a signature.
type mark struct {
	sig    string
	offset int64
}

// search returns the signatures in a span, within the budget.
func (w *walker) search(span extent.Span, sigs ...string) ([]mark, error) {
	const block = 64 << 10
	const most = 1 << 16 // marks
	buf := make([]byte, min(block, span.Len()))
	var marks []mark
	for at := span.Begin; at < span.End && len(marks) < most; {
		n := min(span.End-at, int64(len(buf)), w.budget)
		if n < int64(len(sigLocal)) {
			if w.budget < span.End-at {
				w.Partial = "the archive has too many bytes outside its entries to search"
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
		step := n - int64(len(sigLocal)) + 1 // a signature can cross blocks
		at, w.budget = at+step, w.budget-step
	}
	return marks, nil
}

// The fields of records are little-endian.
func u16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
