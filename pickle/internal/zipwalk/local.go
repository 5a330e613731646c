// Local headers, compared with the directory.

package zipwalk

import (
	"bytes"
	"math"
	"slices"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// locals reads the local headers of the members of a directory, which begin at first, and sets their views.
func (w *walker) locals(first int) error {
	for some := range slices.Chunk(w.order(first), batch) {
		w.prefetch(some)
		for _, i := range some {
			if err := w.local(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// local sets the views of one member.
func (w *walker) local(i int) error {
	m := &w.Members[i]
	at := m.Header
	e, err := w.readLocal(at)
	if err != nil {
		return err
	}
	w.headers[at] = true
	if e == nil {
		w.fault(BadOffset, i, at, "entry %s points to byte %d, where there is no local header", quoted(m.Name), at)
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
		w.fault(HeaderMismatch, i, at, "%s is stored uncompressed, but has %d bytes and a stored size of %d",
			quoted(m.Name), listed.Size, packed)
		longest = max(longest, listed.Size)
	}
	// A reader that uses the shorter size sees the start of the longer content.
	span := extent.Span{Begin: at + e.length, End: at + e.length + longest}
	if span.End > w.size {
		w.fault(BadOffset, i, at, "%s ends at byte %d, but the file at %d", quoted(m.Name), span.End, w.size)
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

// agree compares the local header of a member with its directory entry.
func (w *walker) agree(i int, e *entry) {
	m := &w.Members[i]
	listed := &m.Views[0]
	if e.name != m.Name {
		if w.held += len(e.name); w.held <= mostNames {
			m.LocalName = e.name
		}
		w.fault(HeaderMismatch, i, m.Header, "%s has the name %s in its local header", quoted(m.Name), quoted(e.name))
	}
	if e.method != listed.Method {
		w.fault(HeaderMismatch, i, m.Header, "%s has method %d in the directory, but %d in its local header",
			quoted(m.Name), listed.Method, e.method)
	}
	const telling = FlagEncrypted | FlagPatched | FlagStrong | FlagMasked
	if (e.flags^m.Flags)&telling != 0 {
		w.fault(HeaderMismatch, i, m.Header, "%s has flags %#x in the directory, but %#x in its local header",
			quoted(m.Name), m.Flags, e.flags)
	}
	if e.badExtra {
		w.fault(HeaderMismatch, i, m.Header, "%s has an invalid zip64 field in its local header", quoted(m.Name))
	}
	if e.unicode != "" && e.unicode != e.name {
		w.fault(HeaderMismatch, i, m.Header, "%s has the different name %s in its Unicode path field",
			quoted(m.Name), quoted(e.unicode))
	}
	if e.sizesUnknown {
		return
	}
	if saturate(e.packed) != listed.Span.End || saturate(e.size) != listed.Size {
		w.fault(HeaderMismatch, i, m.Header,
			"%s has sizes %d (compressed) and %d in the directory, but %d and %d in its local header",
			quoted(m.Name), listed.Span.End, listed.Size, e.packed, e.size)
	} else if e.crc != listed.CRC && e.crc != 0 {
		w.fault(HeaderMismatch, i, m.Header, "%s has checksum %08x in the directory, but %08x in its local header",
			quoted(m.Name), listed.CRC, e.crc)
	}
}

// descriptor reads the data descriptor after a content at off, and returns its end. It has four forms: with or without
// a signature, and with sizes of four or eight bytes. The form is recognized by matching numbers.
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
		// The longer form first: the lower half of an 8-byte size is also a 4-byte size.
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
		return off, nil // the bytes will be reported as a gap
	}
	w.fault(HeaderMismatch, i, off, "%s has sizes %d (compressed) and %d, but other numbers in its data descriptor",
		quoted(w.Members[i].Name), packed, size)
	return off + 16, nil
}

// checksum compares the checksum in the data descriptor with that in the directory.
func (w *walker) checksum(i int, v View, crc uint32, off int64) {
	if crc != v.CRC && crc != 0 && v.CRC != 0 {
		w.fault(HeaderMismatch, i, off, "%s has checksum %08x in the directory, but %08x in its data descriptor",
			quoted(w.Members[i].Name), v.CRC, crc)
	}
}

// orphans searches the gaps for unlisted contents, which readers of streams find.
func (w *walker) orphans() error {
	// A content whose claimed size is too large can cover the start of a header.
	const before = 1 << 10 // bytes
	w.budget = w.opts.Search
	for _, gap := range w.covered.Holes(extent.Span{End: w.size}) {
		search := extent.Span{Begin: max(gap.Begin-before, 0), End: gap.End}
		marks, err := w.search(search, sigLocal, sigDescriptor, sigCentral)
		if err != nil {
			return err
		}
		at := int64(0)
		for n, m := range marks {
			if m.sig != sigLocal || m.offset < at || w.headers[m.offset] {
				continue
			}
			if len(w.Members) >= w.opts.Members {
				w.Partial = "the archive has too many members"
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

// orphan adds the member whose local header is at off, if there is one, and returns its end. If the header does not
// have the size of the content, the content ends at until. It must end in the gap; otherwise it belongs to an archive
// inside another content.
func (w *walker) orphan(off, until int64, gap extent.Span) (int64, error) {
	e, err := w.readLocal(off)
	if e == nil || err != nil {
		return off, err
	}
	m := Member{Name: e.name, Flags: e.flags, Header: off}
	packed := saturate(e.packed)
	v := View{Method: e.method, Size: saturate(e.size), CRC: e.crc}
	begin := min(off+e.length, gap.End)
	v.Span = extent.Span{Begin: begin, End: begin + saturate(e.packed)}
	if e.sizesUnknown {
		v.Span.End, v.Size = until, math.MaxInt64/2 // unknown
	}
	v.Span = v.Span.Within(extent.Span{Begin: begin, End: gap.End})
	if v.Span.End <= gap.Begin {
		return off, nil
	}
	m.Cut = w.Cut && v.Span.End == w.size && (e.sizesUnknown || v.Span.Len() < packed)
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
	w.fault(Orphan, len(w.Members)-1, off, "%s at byte %d is not listed in any directory", quoted(e.name), off)
	w.covered.Add(extent.Span{Begin: off, End: m.end})
	return m.end, nil
}

// readLocal reads the local header at off. It returns nil if there is none.
func (w *walker) readLocal(off int64) (*entry, error) {
	if w.last != nil && w.lastAt == off {
		return w.last, nil
	}
	b, err := w.window.At(off, localSize)
	if err != nil || len(b) < localSize || string(b[:4]) != sigLocal {
		return nil, err
	}
	name, extra := int(u16(b, 26)), int(u16(b, 28))
	if w.headerBytes += localSize + name + extra; w.headerBytes > mostHeaders {
		w.Partial = "the local headers of the archive are too large"
		return nil, nil
	}
	if b, err = w.window.At(off, localSize+name+extra+w.opts.Head); err != nil || len(b) < localSize+name+extra {
		return nil, err
	}
	e := &entry{
		needed: u16(b, 4), flags: u16(b, 6), method: u16(b, 8), crc: u32(b, 14),
		packed: uint64(u32(b, 18)), size: uint64(u32(b, 22)),
		name: string(b[localSize:][:name]), length: int64(localSize + name + extra),
	}
	e.extraSize = int64(extra)
	e.sizesUnknown = e.flags&FlagDescriptor != 0 && e.packed == 0 && e.size == 0
	e.extra(b[localSize+name:][:extra], false)
	w.last, w.lastAt = e, off
	return e, nil
}

// head returns the bytes at the start of a content that Options.Head asks for.
func (w *walker) head(span extent.Span) ([]byte, error) {
	b, err := w.window.At(span.Begin, int(min(int64(w.opts.Head), span.Len())))
	return bytes.Clone(b), err
}
