// The central directory.

package zipwalk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// An entry is a parsed header of a member, in the directory or before the content.
type entry struct {
	name           string
	unicode        string // name in Info-ZIP's extra field, "" if there is none
	needed, flags  uint16
	method         uint16
	crc            uint32
	packed, size   uint64 // compressed and uncompressed size in bytes
	offset         uint64 // of the local header; only for directory entries
	badExtra       bool   // the extra field is invalid
	attributes     uint32
	length         int64
	comment        int64 // bytes of comment, at the end of length
	extraSize      int64 // bytes of extra field, before the comment
	oddExtra       bool  // the extra field has unknown contents
	sizesUnknown   bool  // local header: the sizes follow the content
	claimsMultiple bool  // the entry refers to another disk
}

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

// saturate limits v to half of the largest int64, so that two values can be added.
func saturate(v uint64) int64 { return int64(min(v, math.MaxInt64/2)) }

// readCentral reads a directory entry. It returns nil if there is none, or only a part of one.
func readCentral(in *bufio.Reader) (*entry, error) {
	b, err := in.Peek(centralSize)
	if len(b) < centralSize || string(b[:4]) != sigCentral {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return nil, err
	}
	e := &entry{
		needed: u16(b, 6), flags: u16(b, 8), method: u16(b, 10), crc: u32(b, 16),
		packed: uint64(u32(b, 20)), size: uint64(u32(b, 24)), attributes: u32(b, 38), offset: uint64(u32(b, 42)),
		claimsMultiple: u16(b, 34) != 0 && u16(b, 34) != math.MaxUint16,
	}
	name, extra, comment := int(u16(b, 28)), int(u16(b, 30)), int(u16(b, 32))
	rest := make([]byte, centralSize+name+extra)
	if _, err := io.ReadFull(in, rest); err != nil {
		return nil, cutOff(err)
	}
	if _, err := in.Discard(comment); err != nil {
		return nil, cutOff(err)
	}
	e.name = string(rest[centralSize:][:name])
	e.length, e.comment, e.extraSize = int64(len(rest)+comment), int64(comment), int64(extra)
	e.extra(rest[centralSize+name:], true)
	return e, nil
}

// cutOff returns read errors except for the end of the data.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Extra fields that change the meaning of an entry, and the one that PyTorch uses for padding.
const (
	extraZip64   = 0x0001
	extraUnicode = 0x7075
	extraFill    = 0x4246 // "FB"
)

// knownExtras are the extra fields that writers use (APPNOTE 4.5.2 and 4.6.1): times, owners, Unicode comments,
// encryption, and marks of Java and Android.
var knownExtras = []uint16{
	extraZip64, extraUnicode, 0x000a, 0x5455, 0x5855, 0x7855, 0x7875, 0x6375, 0x9901, 0xcafe, 0xd935,
}

// extra parses the extra field: numbers that do not fit into the header, and an alternative name.
func (e *entry) extra(b []byte, central bool) {
	var wide []byte
	for len(b) >= 4 {
		id, n := u16(b, 0), int(u16(b, 2))
		b = b[4:]
		if n > len(b) {
			e.badExtra = e.badExtra || id == extraZip64
			break
		}
		fills := id == extraFill && len(bytes.Trim(b[:n], "Z\x00")) == 0
		e.oddExtra = e.oddExtra || !fills && !slices.Contains(knownExtras, id)
		switch {
		case id == extraZip64 && wide == nil:
			wide = b[:n]
		case id == extraUnicode && n > 5:
			e.unicode = string(b[5:n]) // after a version and a checksum of the other name
		}
		b = b[n:]
	}
	e.oddExtra = e.oddExtra || len(bytes.Trim(b, "\x00")) > 0
	// A number is present only if its field in the header is all ones.
	take := func(v *uint64) {
		if *v != math.MaxUint32 {
			return
		}
		if len(wide) < 8 {
			e.badExtra = true
			return
		}
		*v, wide = u64(wide, 0), wide[8:]
	}
	take(&e.size)
	take(&e.packed)
	if central {
		take(&e.offset)
	}
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
