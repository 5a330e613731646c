// The state of a walk, and the search for signatures.

package zipwalk

import (
	"bytes"
	"encoding/binary"

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
	opts     Options
	window   *bytesio.Window
	tail     []byte         // the end of the file
	contents *extent.Set    // see chain; nil until needed
	covered  extent.Set     // bytes of known records
	ends     []int64        // offsets of end records
	tables   []int64        // offsets of directories
	headers  map[int64]bool // offsets of local headers of listed members, existing or not
	budget   int64          // bytes that may still be searched
	held     int            // bytes of names

	last        *entry // the most recent local header, which many members may share
	lastAt      int64
	headerBytes int  // bytes of local headers read
	moved       bool // bytes before the archive were reported
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
	w.tail = tail
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

// inComment reports whether the byte at off is inside a comment.
func (w *walker) inComment(off int64) bool {
	for _, c := range w.Comments {
		if c.Begin <= off && off < c.End {
			return true
		}
	}
	return false
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
