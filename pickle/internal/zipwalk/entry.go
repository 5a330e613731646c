// Entries: parsed headers of members.

package zipwalk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
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

// knownExtras are the extra fields that writers use (APPNOTE 4.5.2 and 4.6.1): times, owners, Unicode comments,
// encryption, and marks of Java and Android.
var knownExtras = []uint16{
	extraZip64, extraUnicode, 0x000a, 0x5455, 0x5855, 0x7855, 0x7875, 0x6375, 0x9901, 0xcafe, 0xd935,
}

// saturate limits v to half of the largest int64: the sum of two values does not overflow.
func saturate(v uint64) int64 { return int64(min(v, math.MaxInt64/2)) }

// Extra fields that change the meaning of an entry, and the one that PyTorch uses for padding.
const (
	extraZip64   = 0x0001
	extraUnicode = 0x7075
	extraFill    = 0x4246 // "FB"
)
