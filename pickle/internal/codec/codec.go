// Codecs: how bytes are packed, and by which magic that is known.

// Package codec unpacks what models are packed in: whole files, known by their first
// bytes, and members of zip archives, known by a number.
//
// Readers give bytes from front to back, end where the content ends, and compare no
// checksum that they could do without. They take a few megabytes of memory, whatever
// the data claims.
package codec

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/lz4"
	"github.com/weightools/safetensors/pickle/internal/lzma"
)

// A Codec is a way to pack bytes.
type Codec struct {
	Name string
	// Weak says that the magic may be chance: it only counts if bytes come out.
	Weak bool
	// Begin is what it costs to begin to unpack, and Byte what a byte costs that is read or
	// comes out, in steps of about twenty nanoseconds, with eight bits behind the point.
	Begin, Byte int64

	magic func(head []byte) bool
	open  func(in *Source) (io.Reader, error)
}

// Open returns a reader of what is packed. It reads no further than that, if it can.
func (c Codec) Open(in *Source) (io.Reader, error) { return c.open(in) }

// codecs are those of joblib, which knows them by their magic alone, and so of what
// others pack pickles in.
var codecs = [...]Codec{
	{"gzip", false, 1500, 256, starts("\x1f\x8b\x08"), openGzip},
	{"zlib", true, 1500, 256, isZlib, func(in *Source) (io.Reader, error) { return zlib.NewReader(in) }},
	{"bzip2", false, 80000, 1800, isBzip2, func(in *Source) (io.Reader, error) { return bzip2.NewReader(in), nil }},
	{"xz", false, 6000, 900, starts(lzma.Magic), func(in *Source) (io.Reader, error) { return lzma.NewXZReader(in) }},
	{"lzma", true, 6000, 900, isLZMA, func(in *Source) (io.Reader, error) { return lzma.NewReader(in) }},
	{"lz4", false, 1500, 64, starts(lz4.Magic), func(in *Source) (io.Reader, error) { return lz4.NewReader(in) }},
	{"joblib-zfile", true, 1500, 256, isZFile, openZFile},
}

// Detect returns the codecs by which a file that begins with head may be packed.
func Detect(head []byte) []Codec {
	var list []Codec
	for _, c := range codecs {
		if c.magic(head) {
			list = append(list, c)
		}
	}
	return list
}

// Method returns the codec of a method of zip archives, by APPNOTE 4.4.5, and false if
// there is none. The size is that which the archive claims for the content.
func Method(method uint16, size int64) (Codec, bool) {
	switch method {
	case 8:
		return Codec{Name: "deflate", Begin: 3000, Byte: 256, open: func(in *Source) (io.Reader, error) { return flate.NewReader(in), nil }}, true
	case 12:
		return Codec{Name: "bzip2", Begin: 80000, Byte: 1800, open: func(in *Source) (io.Reader, error) { return bzip2.NewReader(in), nil }}, true
	case 14:
		return Codec{Name: "lzma", Begin: 6000, Byte: 900, open: func(in *Source) (io.Reader, error) { return lzma.NewZipReader(in, size) }}, true
	case 95:
		return Codec{Name: "xz", Begin: 6000, Byte: 900, open: func(in *Source) (io.Reader, error) { return lzma.NewXZReader(in) }}, true
	}
	return Codec{}, false
}

// Damaged says whether an error of a reader is of what it was given, and not of reading
// that. Codecs name themselves, but for the end that comes too early.
func Damaged(err error) bool {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	for _, name := range [...]string{"flate: ", "gzip: ", "zlib: ", "bzip2 data invalid: ", "lzma: ", "xz: ", "lz4: "} {
		if err != nil && strings.HasPrefix(err.Error(), name) {
			return true
		}
	}
	return false
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

func openZFile(in *Source) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, in, zfileSize); err != nil {
		return nil, err
	}
	return zlib.NewReader(in)
}

// A Source is what is packed. It knows how much of it was read: what a codec leaves is
// not its own. It is for one goroutine.
type Source struct {
	in    bufio.Reader
	Used  int64 // bytes that were read
	Files int   // how many gzip files were begun, one after another
}

// NewSource returns a source that reads r from front to back.
func NewSource(r io.Reader) *Source {
	s := new(Source)
	s.in.Reset(r)
	return s
}

// ReadByte implements io.ByteReader, without which codecs read ahead.
func (s *Source) ReadByte() (byte, error) {
	b, err := s.in.ReadByte()
	if err == nil {
		s.Used++
	}
	return b, err
}

// Read implements io.Reader.
func (s *Source) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	s.Used += int64(n)
	return n, err
}

// openGzip returns a reader of all gzip files that stand one after another, as
// Python's gzip takes them.
func openGzip(in *Source) (io.Reader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	in.Files = 1
	return &gzipFiles{in: in, z: z}, nil
}

// gzipFiles is a reader of gzip files. What follows them and is none it leaves: package
// gzip would take it for an error.
type gzipFiles struct {
	in *Source
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
		if head, _ := g.in.in.Peek(3); string(head) != "\x1f\x8b\x08" {
			return 0, io.EOF
		}
		if err := g.z.Reset(g.in); err != nil {
			return 0, err
		}
		g.z.Multistream(false)
		g.in.Files++
	}
}
