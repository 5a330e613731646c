// Codecs: how bytes are packed, and by which magic that is known.

package scan

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/lz4"
	"github.com/weightools/safetensors/internal/lzma"
	"github.com/weightools/safetensors/internal/zipwalk"
)

// A codec is a way to pack bytes.
type codec struct {
	name  string
	magic func(head []byte) bool
	// open returns a reader of what is packed. It reads no further than that, if it
	// can.
	open func(in *counter) (io.Reader, error)
	weak bool // the magic may be chance: it only counts if bytes come out
}

// codecs are those of joblib, which knows them by their magic alone, and so of what
// others pack pickles in.
var codecs = []codec{
	{"gzip", starts("\x1f\x8b\x08"), openGzip, false},
	{"zlib", isZlib, func(in *counter) (io.Reader, error) { return zlib.NewReader(in) }, true},
	{"bzip2", isBzip2, func(in *counter) (io.Reader, error) { return bzip2.NewReader(in), nil }, false},
	{"xz", starts(lzma.Magic), func(in *counter) (io.Reader, error) { return lzma.NewXZReader(in) }, false},
	{"lzma", isLZMA, func(in *counter) (io.Reader, error) { return lzma.NewReader(in) }, true},
	{"lz4", starts(lz4.Magic), func(in *counter) (io.Reader, error) { return lz4.NewReader(in) }, false},
	{"joblib-zfile", isZFile, openZFile, true},
}

// starts returns a function that says whether bytes begin with a magic.
func starts(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// isZlib goes by RFC 1950: method 8 with a window of 32 KiB, no dictionary, and two
// bytes that are a multiple of 31.
func isZlib(head []byte) bool {
	return len(head) > 2 && head[0] == 0x78 && head[1]&0x20 == 0 && (uint(head[0])<<8|uint(head[1]))%31 == 0
}

// isBzip2 goes by the digit of the block size and the first block's own magic, or
// that of the end.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && string(head[:3]) == "BZh" && '1' <= head[3] && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// isLZMA goes by the usual properties, a dictionary that is a power of two or one and
// a half of them, and the first byte of the data, which is 0.
func isLZMA(head []byte) bool {
	if len(head) < 14 || head[0] != 0x5d || head[1] != 0 || head[13] != 0 {
		return false
	}
	dictionary := uint32(head[1]) | uint32(head[2])<<8 | uint32(head[3])<<16 | uint32(head[4])<<24
	for n := uint32(1 << 12); n != 0; n <<= 1 {
		if dictionary == n || dictionary == n+n/2 {
			return true
		}
	}
	return dictionary == 1<<32-1
}

// zfileSize is the size of what joblib before 0.10 put before the zlib stream: "ZF",
// and the size of what is packed as "0x" and digits, with blanks up to 19 characters.
const zfileSize = 2 + 19

func isZFile(head []byte) bool {
	return len(head) > zfileSize && string(head[:4]) == "ZF0x" && isZlib(head[zfileSize:])
}

func openZFile(in *counter) (io.Reader, error) {
	if _, err := in.Discard(zfileSize); err != nil {
		return nil, err
	}
	return zlib.NewReader(in)
}

// codecOf returns the codec of a method of zip archives beside those that package
// zipwalk opens, and false if there is none.
func codecOf(v zipwalk.View) (codec, bool) {
	switch v.Method {
	case zipwalk.Deflate:
		return codec{name: "deflate", open: func(in *counter) (io.Reader, error) { return flate.NewReader(in), nil }}, true
	case zipwalk.Bzip2:
		return codec{name: "bzip2", open: func(in *counter) (io.Reader, error) { return bzip2.NewReader(in), nil }}, true
	case zipwalk.LZMA:
		return codec{name: "lzma", open: func(in *counter) (io.Reader, error) { return lzma.NewZipReader(in, v.Size) }}, true
	case zipwalk.XZ:
		return codec{name: "xz", open: func(in *counter) (io.Reader, error) { return lzma.NewXZReader(in) }}, true
	}
	return codec{}, false
}

// A counter reads what is packed, and knows how much of it was read: what a codec
// leaves is not its own.
type counter struct {
	bufio.Reader
	n int64
	// parts is how many gzip files were read, one after another.
	parts int
}

func newCounter(r io.Reader) *counter {
	c := new(counter)
	c.Reset(r)
	return c
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) Discard(n int) (int, error) {
	n, err := c.Reader.Discard(n)
	c.n += int64(n)
	return n, err
}

// openGzip returns a reader of all gzip files that stand one after another, as
// Python's gzip takes them.
func openGzip(in *counter) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	in.parts = 1
	return &gzipFiles{in: in, z: z}, nil
}

// gzipFiles is a reader of gzip files. What follows them and is none it leaves: package
// gzip would take it for an error.
type gzipFiles struct {
	in *counter
	z  *gzip.Reader
}

func (g *gzipFiles) Read(b []byte) (int, error) {
	for {
		n, err := g.z.Read(b)
		switch {
		case !errors.Is(err, io.EOF):
			return n, err
		case n > 0:
			return n, nil
		}
		if head, _ := g.in.Peek(3); string(head) != "\x1f\x8b\x08" {
			return 0, io.EOF
		}
		if err := g.z.Reset(g.in); err != nil {
			return 0, err
		}
		g.z.Multistream(false)
		g.in.parts++
	}
}
