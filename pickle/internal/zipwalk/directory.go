// The central directory.

package zipwalk

import (
	"bufio"
	"io"
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// directory reads the directory at t. Readers use either the count or the size in the end record, so directory reads
// all consecutive entries that have the signature.
func (w *walker) directory(e *end, t table, last bool) error {
	in := bufio.NewReaderSize(io.NewSectionReader(w.r, t.offset, w.size-t.offset), 4*bytesio.WindowSize)
	at := t.offset
	first := len(w.Members)
	if t.base > 0 {
		w.moved = true
		w.fault(PrefixData, -1, 0, "%d bytes precede the archive; PyTorch does not find it, other readers do", t.base)
	}
	for at < e.start {
		entry, err := readCentral(in)
		if err != nil {
			return err
		}
		if entry == nil {
			break
		}
		if w.held += len(entry.name); len(w.Members) >= w.opts.Members || w.held > mostNames {
			w.Partial = "the archive has too many members or too long names"
			break
		}
		m := Member{Name: entry.name, Listed: true, Flags: entry.flags, Header: -1}
		m.Python, m.Torch = last && t.python, last && t.torch
		// The Unix mode. Some programs use it regardless of the system in the entry.
		m.Symlink = entry.attributes>>16&0o170000 == 0o120000
		w.Members = append(w.Members, m)
		w.central(len(w.Members)-1, entry, t, at)
		at += entry.length
		if entry.comment > 0 {
			w.Comments = append(w.Comments, extent.Span{Begin: at - entry.comment, End: at})
		}
		w.odd(entry, at)
	}
	if at > e.start {
		w.fault(BadEnd, -1, at, "the directory extends into the end record at byte %d", e.start)
	}
	w.covered.Add(extent.Span{Begin: t.offset, End: at})
	w.counted(e, uint64(len(w.Members)-first), at-t.offset)
	return w.locals(first)
}

// odd records the extra field of an entry that ends at end, if it has unknown contents.
func (w *walker) odd(e *entry, end int64) {
	if end -= e.comment; e.oddExtra {
		w.Extras = append(w.Extras, extent.Span{Begin: end - e.extraSize, End: end})
	}
}

// counted compares the claims of the end records with the directory.
func (w *walker) counted(e *end, entries uint64, size int64) {
	for i, c := range e.claims {
		if w.Partial != "" {
			return
		}
		// If there is a zip64 record, values that do not fit into the plain record are all ones.
		wide := len(e.claims) > 1 && i == 0
		fits := func(claim, actual, ones uint64) bool { return claim == actual || wide && claim == ones }
		if !fits(c.entries, entries, math.MaxUint16) || !fits(c.size, uint64(size), math.MaxUint32) {
			w.fault(BadEnd, -1, c.ends, "the end record lists %d entries in %d bytes, but the directory has %d in %d",
				c.entries, c.size, entries, size)
		}
	}
}

// central checks an entry by itself, and sets the expected offset of the local header in the member.
func (w *walker) central(i int, e *entry, t table, at int64) {
	m := &w.Members[i]
	const known = FlagDescriptor | FlagUTF8 | 3<<1 // bits 1 and 2 are the level of deflate
	if m.Flags&^known != 0 {
		w.fault(BadFlags, i, at, "entry %s has flags %#x; some readers reject it, some crash", quoted(m.Name), m.Flags)
	}
	if e.badExtra || e.claimsMultiple {
		w.fault(HeaderMismatch, i, at, "entry %s has an invalid zip64 field", quoted(m.Name))
	}
	// The lower byte is ten times the version of the format, at most 6.3. The upper byte is unused.
	if e.needed&0xff > 63 {
		w.fault(HeaderMismatch, i, at, "entry %s requires version %d.%d of the format, which does not exist",
			quoted(m.Name), e.needed&0xff/10, e.needed&0xff%10)
	}
	if e.unicode != "" && e.unicode != e.name {
		w.fault(HeaderMismatch, i, at, "entry %s has the different name %s in its Unicode path field",
			quoted(m.Name), quoted(e.unicode))
	}
	if m.Symlink {
		w.fault(Symlink, i, at, "%s unpacks to a symbolic link", quoted(m.Name))
	}
	if e.offset > math.MaxInt64/2 {
		e.offset = math.MaxInt64 / 2
	}
	m.Header = int64(e.offset) + t.base
	m.Views = []View{{Method: e.method, Size: saturate(e.size), CRC: e.crc, Span: extent.Span{End: saturate(e.packed)}}}
}

// order returns the indexes of members from first on, sorted by the offset of their headers to minimise requests.
func (w *walker) order(first int) []int {
	list := make([]int, 0, len(w.Members)-first)
	for i := first; i < len(w.Members); i++ {
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return int(max(-1, min(1, w.Members[a].Header-w.Members[b].Header)))
	})
	return list
}
