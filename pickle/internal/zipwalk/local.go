// Local headers: what stands before each content, against what the directory says.

package zipwalk

import (
	"math"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// locals reads the local headers of the members from first on, which are those of
// one directory, and settles what their contents are.
func (w *walker) locals(first int) error {
	for some := range slices.Chunk(w.order(first), batch) {
		w.foresee(some)
		for _, i := range some {
			if err := w.local(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// local settles the content of one member.
func (w *walker) local(i int) error {
	m := &w.Members[i]
	at := m.Header
	e, err := w.readLocal(at)
	if err != nil {
		return err
	}
	w.headers[at] = true
	if e == nil {
		w.fault(BadOffset, i, at, "the entry %s points to byte %d, where no content begins", quoted(m.Name), at)
		m.Header, m.Views = -1, nil
		return nil
	}
	w.agree(i, e)
	w.odd(e, at+e.length)
	listed := m.Views[0]
	packed := listed.Span.End
	own := View{Method: e.method, Size: saturate(e.size), CRC: e.crc}
	longest := packed
	if !e.sizesUnknown {
		longest = max(longest, saturate(e.packed))
	}
	if listed.Method == Stored && listed.Size != packed {
		w.fault(HeaderMismatch, i, at, "%s is stored as it is, and yet has %d bytes of which %d are there", quoted(m.Name), listed.Size, packed)
		longest = max(longest, listed.Size)
	}
	// A reader that believes in a shorter content sees the start of the longer one.
	span := extent.Span{Begin: at + e.length, End: at + e.length + longest}
	if span.End > w.size {
		w.fault(BadOffset, i, at, "%s is said to end at byte %d, and the file at %d", quoted(m.Name), span.End, w.size)
		span.End = w.size
	}
	listed.Span, own.Span = span, span
	if listed.Head, err = w.head(span); err != nil {
		return err
	}
	own.Head = listed.Head
	m.Views = []View{listed}
	if own.Method != listed.Method {
		m.Views = append(m.Views, own)
	}
	m.end = span.Begin + packed
	if m.Flags&FlagDescriptor != 0 || e.flags&FlagDescriptor != 0 {
		if m.end, err = w.descriptor(i, listed, m.end); err != nil {
			return err
		}
	}
	m.end = max(m.end, span.End)
	w.covered.Add(extent.Span{Begin: at, End: m.end})
	return nil
}

// agree compares what is said of a member in both places.
func (w *walker) agree(i int, e *entry) {
	m := &w.Members[i]
	listed := &m.Views[0]
	if e.name != m.Name {
		if w.held += len(e.name); w.held <= mostNames {
			m.LocalName = e.name
		}
		w.fault(HeaderMismatch, i, m.Header, "%s is called %s before its content", quoted(m.Name), quoted(e.name))
	}
	if e.method != listed.Method {
		w.fault(HeaderMismatch, i, m.Header, "%s is packed by method %d to the directory, and by %d before its content", quoted(m.Name), listed.Method, e.method)
	}
	const telling = FlagEncrypted | FlagPatched | FlagStrong | FlagMasked
	if (e.flags^m.Flags)&telling != 0 {
		w.fault(HeaderMismatch, i, m.Header, "%s has the flags %#x to the directory, and %#x before its content", quoted(m.Name), m.Flags, e.flags)
	}
	if e.badExtra {
		w.fault(HeaderMismatch, i, m.Header, "%s says in zip64 what cannot be", quoted(m.Name))
	}
	if e.unicode != "" && e.unicode != e.name {
		w.fault(HeaderMismatch, i, m.Header, "%s is %s to readers of its Unicode path", quoted(m.Name), quoted(e.unicode))
	}
	if e.sizesUnknown {
		return
	}
	if saturate(e.packed) != listed.Span.End || saturate(e.size) != listed.Size {
		w.fault(HeaderMismatch, i, m.Header, "%s has %d bytes and %d once unpacked to the directory, and %d and %d before its content",
			quoted(m.Name), listed.Span.End, listed.Size, e.packed, e.size)
	} else if e.crc != listed.CRC && e.crc != 0 {
		w.fault(HeaderMismatch, i, m.Header, "%s has the checksum %08x to the directory, and %08x before its content", quoted(m.Name), listed.CRC, e.crc)
	}
}

// descriptor reads the descriptor that follows a content at off, and returns where
// it ends. It has four forms: with a signature or without, and with sizes of four
// bytes or of eight. Which one it is nothing says but that its numbers are right.
func (w *walker) descriptor(i int, v View, off int64) (int64, error) {
	b, err := w.window.At(off, len(sigDescriptor)+4+16)
	if err != nil {
		return 0, err
	}
	signed := len(b) >= len(sigDescriptor) && string(b[:len(sigDescriptor)]) == sigDescriptor
	packed, size := uint64(off-v.Span.Begin), uint64(v.Size)
	for _, skip := range [...]int{len(sigDescriptor), 0} {
		if skip > 0 && !signed {
			continue
		}
		// The longer form first: the lower half of a size is a size of four bytes.
		d := b[skip:]
		switch {
		case len(d) >= 20 && u64(d, 4) == packed && u64(d, 12) == size:
			w.checksum(i, v, u32(d, 0), off)
			return off + int64(skip) + 20, nil
		case len(d) >= 12 && uint64(u32(d, 4)) == packed && uint64(u32(d, 8)) == size:
			w.checksum(i, v, u32(d, 0), off)
			return off + int64(skip) + 12, nil
		}
	}
	if !signed || len(b) < 16 {
		return off, nil // what is there instead will be a gap, or there is nothing
	}
	w.fault(HeaderMismatch, i, off, "%s has %d bytes and %d once unpacked, and other numbers after its content", quoted(w.Members[i].Name), packed, size)
	return off + 16, nil
}

// checksum compares the checksum after a content with that in the directory.
func (w *walker) checksum(i int, v View, crc uint32, off int64) {
	if crc != v.CRC && crc != 0 && v.CRC != 0 {
		w.fault(HeaderMismatch, i, off, "%s has the checksum %08x to the directory, and %08x after its content", quoted(w.Members[i].Name), v.CRC, crc)
	}
}

// orphans looks for contents in what is not accounted for: readers of streams find
// them, though no directory does.
func (w *walker) orphans() error {
	// A content that is said to be longer than it is may cover the start of a header.
	const before = 1 << 10 // bytes
	w.budget = w.opts.Search
	for _, gap := range w.covered.Holes(extent.Span{End: w.size}) {
		marks, err := w.search(extent.Span{Begin: max(gap.Begin-before, 0), End: gap.End}, sigLocal, sigDescriptor, sigCentral)
		if err != nil {
			return err
		}
		at := int64(0)
		for n, m := range marks {
			if m.sig != sigLocal || m.offset < at || w.headers[m.offset] {
				continue
			}
			if len(w.Members) >= w.opts.Members {
				w.Partial = "the archive has more members than are looked at"
				return nil
			}
			until := gap.End
			if n+1 < len(marks) {
				until = marks[n+1].offset
			}
			if at, err = w.orphan(m.offset, until, gap); err != nil {
				return err
			}
		}
	}
	return nil
}

// orphan adds the member whose local header stands at off, if one does, and returns
// where it ends. If the header does not say how long its content is, that ends at
// until. It ends in the gap in any case: one that ends before is of an archive
// within the content there.
func (w *walker) orphan(off, until int64, gap extent.Span) (int64, error) {
	e, err := w.readLocal(off)
	if e == nil || err != nil {
		return off, err
	}
	m := Member{Name: e.name, Flags: e.flags, Header: off}
	v := View{Method: e.method, Size: saturate(e.size), CRC: e.crc}
	begin := min(off+e.length, gap.End)
	v.Span = extent.Span{Begin: begin, End: begin + saturate(e.packed)}
	if e.sizesUnknown {
		v.Span.End, v.Size = until, math.MaxInt64/2 // nobody knows
	}
	v.Span = v.Span.Within(extent.Span{Begin: begin, End: gap.End})
	if v.Span.End <= gap.Begin {
		return off, nil
	}
	if v.Head, err = w.head(v.Span); err != nil {
		return off, err
	}
	m.Views, m.end = []View{v}, v.Span.End
	if ok, err := w.isAt(sigDescriptor, m.end); err != nil {
		return off, err
	} else if ok && e.sizesUnknown {
		m.end = min(m.end+16, gap.End)
	}
	w.Members = append(w.Members, m)
	w.fault(Orphan, len(w.Members)-1, off, "%s stands at byte %d, and no directory lists it", quoted(e.name), off)
	w.covered.Add(extent.Span{Begin: off, End: m.end})
	return m.end, nil
}
