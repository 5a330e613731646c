// gzip, as Python's module gzip reads it.

package codec

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
)

// Package compress/gzip refuses long names and headers with a wrong checksum, which Python ignores (Lib/gzip.py,
// _read_gzip_header). Python also skips zeros between concatenated files, and checks the checksum of the data only when
// all of it was returned.

var errGzip = errors.New("gzip: invalid header")

// openGzip returns a reader of all concatenated gzip files.
func openGzip(in *Source) (io.Reader, error) {
	g := &gzipFiles{in: in}
	if err := g.header(); err != nil {
		return nil, err
	}
	g.data = flate.NewReader(in)
	return g, nil
}

// gzipFiles reads concatenated gzip files. It accepts trailing data and leaves it unread.
type gzipFiles struct {
	in    *Source
	data  io.ReadCloser // of the current file
	ended bool          // the data of the current file has ended
}

// Read implements io.Reader.
func (g *gzipFiles) Read(b []byte) (int, error) {
	if g.ended {
		if more, err := g.next(); err != nil || !more {
			return 0, err
		}
	}
	n, err := g.data.Read(b)
	if errors.Is(err, io.EOF) {
		g.ended, err = true, g.skip(8) // the checksum and the size
	}
	return n, err
}

// next starts the next file. It returns false, and io.EOF if there is none, or nil if it has only skipped zeros.
func (g *gzipFiles) next() (bool, error) {
	const most = 64 << 10 // zeros at once, so that a caller can count them
	for range most {
		switch b, _ := g.in.in.Peek(3); {
		case string(b) == "\x1f\x8b\x08":
			g.ended = false
			if err := g.header(); err != nil {
				return false, err
			}
			return true, g.data.(flate.Resetter).Reset(g.in, nil)
		case len(b) == 0 || b[0] != 0:
			return false, io.EOF
		}
		if _, err := g.in.ReadByte(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// header reads a header: a magic, a method, flags, six other bytes, and the fields that the flags announce.
func (g *gzipFiles) header() error {
	var b [10]byte
	if _, err := io.ReadFull(g.in, b[:]); err != nil {
		return short(err)
	}
	if string(b[:3]) != "\x1f\x8b\x08" {
		return errGzip
	}
	g.in.Files++
	const sum, extra, name, comment = 2, 4, 8, 16
	if b[3]&extra != 0 {
		if _, err := io.ReadFull(g.in, b[:2]); err != nil {
			return short(err)
		}
		if err := g.skip(int64(binary.LittleEndian.Uint16(b[:]))); err != nil {
			return err
		}
	}
	for _, flag := range [...]byte{name, comment} {
		for text := b[3]&flag != 0; text; {
			c, err := g.in.ReadByte()
			if err != nil {
				return short(err)
			}
			text = c != 0
		}
	}
	if b[3]&sum != 0 {
		return g.skip(2)
	}
	return nil
}

// skip skips n bytes.
func (g *gzipFiles) skip(n int64) error {
	_, err := io.CopyN(io.Discard, g.in, n)
	return short(err)
}

// short converts io.EOF to io.ErrUnexpectedEOF.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
