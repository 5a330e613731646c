// Readers for .lzma files and for LZMA members of zip archives.

// Package lzma decompresses LZMA, LZMA2 and xz data.
//
// The package exists because a scanner must see every byte that a loader sees. On an error, the readers first return
// all output that precedes the damage, as liblzma does. The history grows with the output and is limited to 8 MiB,
// regardless of the dictionary size in the header; a match beyond that is an error. Checksums are not verified.
//
// The formats are the LZMA specification (Igor Pavlov, 2015) and the .xz file format 1.2.1 (2024).
package lzma

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// NewReader returns a reader that decompresses a .lzma file: five bytes of properties, the uncompressed size in eight
// bytes (all ones if unknown), and the data.
//
// It reads no further than the end of the data if r is an io.ByteReader.
func NewReader(r io.Reader) (io.Reader, error) {
	in, ok := r.(byteReader)
	if !ok {
		in = bufio.NewReader(r)
	}
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, short(err)
	}
	size := binary.LittleEndian.Uint64(head[5:])
	if size > math.MaxInt64 {
		size = math.MaxInt64 // an end marker ends the data
	}
	return newReader(in, head[:5], int64(size))
}

// NewZipReader returns a reader that decompresses a zip member with method 14: a version in two bytes, the size of the
// properties in two bytes, the properties, and the data. size is the uncompressed size from the archive; an end marker
// can end the data earlier.
func NewZipReader(r io.Reader, size int64) (io.Reader, error) {
	in := bufio.NewReader(r)
	var head [9]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, short(err)
	}
	if binary.LittleEndian.Uint16(head[2:]) != 5 {
		return nil, errData
	}
	return newReader(in, head[4:], size)
}

// newReader returns a reader for one LZMA stream. properties holds the properties byte and the dictionary size.
func newReader(in byteReader, properties []byte, size int64) (io.Reader, error) {
	d := new(decoder)
	if err := d.properties(properties[0]); err != nil {
		return nil, err
	}
	s := &stream{decoder: d, left: size}
	if err := d.start(in); err != nil {
		return nil, err
	}
	return s, nil
}

// A stream reads one LZMA stream.
type stream struct {
	*decoder
	left int64 // bytes still to decompress
	err  error // returned once all output has been read
}

// Read implements io.Reader.
func (s *stream) Read(b []byte) (int, error) {
	for len(s.ready()) == 0 {
		switch {
		case s.err != nil:
			return 0, s.err
		case s.left < 0:
			return 0, errData // a match extends past the end
		case s.left == 0 || s.ended:
			return 0, io.EOF
		}
		var n int64
		n, s.err = s.decode(min(s.left, 1<<16))
		s.left -= n
	}
	return s.take(b), nil
}
