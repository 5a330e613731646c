// Compression formats and how to recognize them.

// Package codec decompresses the formats that models are stored in: whole files, detected by their first bytes, and
// members of zip archives, identified by their method number.
//
// Readers are sequential, stop at the end of the compressed data, and skip checksums where they can. On an error they
// return all output that precedes it. Memory is limited to a few megabytes, regardless of sizes in the data.
package codec

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/lz4"
	"github.com/weightools/safetensors/pickle/internal/lzma"
)

// A Codec is a compression format.
type Codec struct {
	Name string
	// Weak reports that the signature can match by chance. The match counts only if data can be decompressed.
	Weak bool
	// Begin is the cost of starting to decompress, and Byte that per byte of input (or eight bytes of output), in steps
	// of about 20 ns. Byte is a fixed-point number with eight fractional bits.
	Begin, Byte int64

	magic func(head []byte) bool
	open  func(in *Source) (io.Reader, error)
}

// Open returns a reader that decompresses in. It reads no further than the end of the compressed data if it can.
func (c Codec) Open(in *Source) (io.Reader, error) { return c.open(in) }

// The formats that occur both as files and as methods of zip archives.
var (
	bzip2Codec = Codec{"bzip2", false, 80000, 1800, isBzip2, openBzip2}
	xzCodec    = Codec{"xz", false, 6000, 900, starts(lzma.Magic), openXZ}
	lzmaCodec  = Codec{"lzma", true, 6000, 900, isLZMA, openLZMA}
)

// codecs lists the formats that joblib detects by their signatures.
var codecs = [...]Codec{
	{"gzip", false, 1500, 256, starts("\x1f\x8b\x08"), openGzip},
	{"zlib", true, 1500, 256, isZlib, openZlib},
	bzip2Codec,
	xzCodec,
	lzmaCodec,
	{"lz4", false, 1500, 64, starts(lz4.Magic), openLZ4},
	{"joblib-zfile", true, 1500, 256, isZFile, openZFile},
}

func openZlib(in *Source) (io.Reader, error)  { return zlib.NewReader(in) }
func openBzip2(in *Source) (io.Reader, error) { return bzip2.NewReader(in), nil }
func openXZ(in *Source) (io.Reader, error)    { return lzma.NewXZReader(in) }
func openLZ4(in *Source) (io.Reader, error)   { return lz4.NewReader(in) }
func openFlate(in *Source) (io.Reader, error) { return flate.NewReader(in), nil }

// Detect returns the codecs whose signatures match head, the first bytes of a file.
func Detect(head []byte) []Codec {
	var list []Codec
	for _, c := range codecs {
		if c.magic(head) {
			list = append(list, c)
		}
	}
	return list
}

// Method returns the codec of a zip compression method (APPNOTE 4.4.5); ok is false if it is not supported. size is the
// uncompressed size in the archive's directory.
func Method(method uint16, size int64) (c Codec, ok bool) {
	switch method {
	case 8:
		return Codec{Name: "deflate", Begin: 3000, Byte: 256, open: openFlate}, true
	case 12:
		return bzip2Codec, true
	case 14:
		c = lzmaCodec
		c.open = func(in *Source) (io.Reader, error) { return lzma.NewZipReader(in, size) }
		return c, true
	case 95:
		return xzCodec, true
	}
	return Codec{}, false
}

// Damaged reports whether err is caused by invalid data and not by a failed read. Codecs prefix their errors, except
// for io.ErrUnexpectedEOF.
func Damaged(err error) bool {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	prefixes := [...]string{"flate: ", "gzip: ", "zlib: ", "bzip2 data invalid: ", "lzma: ", "xz: ", "lz4: "}
	return err != nil && slices.ContainsFunc(prefixes[:], func(prefix string) bool {
		return strings.HasPrefix(err.Error(), prefix)
	})
}

// starts returns a function that reports whether its argument starts with magic.
func starts(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

// isZlib detects a zlib header with a 32 KiB window, as joblib does.
func isZlib(head []byte) bool { return isWindow(head) && head[0] == 0x78 }

// isWindow detects a zlib header (RFC 1950): method 8, a window of up to 32 KiB, no dictionary, and a valid header
// checksum.
func isWindow(head []byte) bool {
	return len(head) > 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 && head[1]&0x20 == 0 &&
		(uint(head[0])<<8|uint(head[1]))%31 == 0
}

// isBzip2 detects the header with a block size, followed by the magic of a block or of the end.
func isBzip2(head []byte) bool {
	return len(head) >= 10 && string(head[:3]) == "BZh" && '1' <= head[3] && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// A Source is the compressed input of a codec. It counts the bytes that the codec reads, which tells the caller where
// trailing data begins. A Source must not be used concurrently.
type Source struct {
	in    bufio.Reader
	Used  int64 // bytes read
	Files int   // concatenated gzip or lzma files seen
}

// NewSource returns a Source that reads from r.
func NewSource(r io.Reader) *Source {
	s := new(Source)
	s.in.Reset(r)
	return s
}

// ReadByte implements io.ByteReader. Without it, codecs would read ahead.
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
