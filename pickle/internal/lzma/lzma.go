// The formats of one stream: .lzma, and what zip archives have.

// Package lzma unpacks LZMA, LZMA2 and xz, from front to back.
//
// It is for looking into what is packed, not for keeping it: checksums are not
// compared. A dictionary takes memory as it fills, whatever size is claimed for it,
// and no more than 8 MiB; what refers farther back is an error.
//
// The algorithm is that of the LZMA specification (Igor Pavlov, 2015), the container
// that of the .xz file format 1.2.1 (2024).
package lzma

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// mostHistory is how far back a match may refer, in bytes. That of xz -6, the
// default of xz and of Python, is that.
const mostHistory = 8 << 20

var (
	errData    = errors.New("lzma: the data is damaged")
	errHistory = errors.New("lzma: the data refers back more than 8 MiB, and that much is kept")
)

// NewReader returns a reader of what a .lzma file unpacks to: five bytes of
// properties, the size in eight, all ones if it is not known, and the data.
func NewReader(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, short(err)
	}
	size := binary.LittleEndian.Uint64(head[5:])
	if size > math.MaxInt64 {
		size = math.MaxInt64 // an end mark ends it
	}
	return newReader(in, head[:5], int64(size))
}

// NewZipReader returns a reader of what a member of a zip archive with method 14
// unpacks to: a version of two bytes, the size of the properties in two, these, and
// the data. The size is as the archive claims; the data may end before.
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

// newReader returns a reader of one stream: its properties are a byte, and the size
// of the dictionary in four.
func newReader(in *bufio.Reader, properties []byte, size int64) (io.Reader, error) {
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

// A stream is a reader of one stream of LZMA.
type stream struct {
	*decoder
	left int64 // bytes to unpack
}

func (s *stream) Read(b []byte) (int, error) {
	for len(s.ready()) == 0 {
		switch {
		case s.left < 0:
			return 0, errData // a match went on behind the end
		case s.left == 0 || s.ended:
			return 0, io.EOF
		}
		n, err := s.decode(min(s.left, 1<<16))
		if s.left -= n; err != nil {
			return 0, err
		}
	}
	return s.take(b), nil
}

// short returns the error of data that ends too early.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
