// Random access to compressed data, with little memory and within a budget.

// Package unpack gives random access to compressed data. It keeps only the beginning and the
// end in memory and decompresses the rest again when needed.
package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors/pickle/internal/codec"
)

// A Budget limits decompression: the bytes that may be produced and the cost in pickle
// instructions. Both are reduced.
type Budget struct{ Bytes, Work *int64 }

// ErrLimit says that the budget is spent.
var ErrLimit = errors.New("the decompressed data exceeds the limit")

// A packed is compressed data, which can be decompressed repeatedly.
type packed struct {
	Budget
	codec codec.Codec
	raw   func() io.Reader
	in    *codec.Source // of the current decompression
	paid  int64         // bytes of it that were charged
}

// open starts decompression.
func (u *packed) open() (io.Reader, error) {
	u.in, u.paid = codec.NewSource(u.raw()), 0
	if *u.Work -= u.codec.Begin; *u.Work <= 0 {
		return nil, ErrLimit
	}
	return u.codec.Open(u.in)
}

// read reads decompressed data and charges for it.
func (u *packed) read(r io.Reader, b []byte) (int, error) {
	if *u.Bytes <= 0 || *u.Work <= 0 {
		return 0, ErrLimit
	}
	n, err := r.Read(b[:min(int64(len(b)), *u.Bytes)])
	*u.Bytes -= int64(n)
	*u.Work -= (u.in.Used - u.paid + int64(n)/8) * u.codec.Byte >> 8
	u.paid = u.in.Used
	return n, err
}

// Kept is the number of decompressed bytes kept in memory. Reading backwards beyond them
// decompresses the data again; most reads are sequential.
const Kept = 4 << 20

// A File is decompressed data. It must not be used concurrently.
type File struct {
	Size   int64
	Sum    uint32 // CRC-32 of the decompressed data
	Damage error  // why decompression ended early, or nil
	Used   int64  // compressed bytes that were read
	Files  int    // number of concatenated gzip or lzma files

	packed
	head []byte // the first Kept bytes, or all
	tail []byte // the last bytes, where an archive has its end record

	r      io.Reader // for the bytes after head
	at     int64     // offset of r
	window []byte    // the bytes that r returned last
	fault  error     // sticky error of r
}

// Open decompresses the data once, to determine its size. Errors are errors of raw; damaged
// data is reported in File.Damage.
func Open(c codec.Codec, raw func() io.Reader, budget Budget) (*File, error) {
	u := &File{packed: packed{Budget: budget, codec: c, raw: raw}}
	r, err := u.open()
	if err == nil {
		var head bytes.Buffer
		buf := make([]byte, 32<<10)
		for err == nil {
			var n int
			n, err = u.read(r, buf)
			if room := Kept - head.Len(); room > 0 {
				head.Write(buf[:min(n, room)])
			}
			if u.Size += int64(n); u.Size > Kept {
				u.keepTail(buf[:n])
			}
			u.Sum = crc32.Update(u.Sum, crc32.IEEETable, buf[:n])
		}
		u.head = head.Bytes()
	}
	u.Used, u.Files = u.in.Used, u.in.Files
	switch {
	case errors.Is(err, ErrLimit), codec.Damaged(err):
		u.Damage = err
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return u, nil
}

// keepTail keeps the last decompressed bytes.
func (u *File) keepTail(b []byte) {
	const most = 80 << 10 // bytes: the end record of zip with the longest comment
	if u.tail = append(u.tail, b...); len(u.tail) > 2*most {
		u.tail = u.tail[:copy(u.tail, u.tail[len(u.tail)-most:])]
	}
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (u *File) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		at := off + int64(n)
		if at >= u.Size {
			return n, io.EOF
		}
		if at < int64(len(u.head)) {
			n += copy(b[n:], u.head[at:])
			continue
		}
		if begin := u.Size - int64(len(u.tail)); at >= begin {
			n += copy(b[n:], u.tail[at-begin:])
			continue
		}
		if err := u.seek(at); err != nil {
			return n, err
		}
		n += copy(b[n:], u.window[at-(u.at-int64(len(u.window))):])
	}
	return n, nil
}

// seek moves the window to the byte at off.
func (u *File) seek(off int64) error {
	if u.r == nil || off < u.at-int64(len(u.window)) {
		r, err := u.open()
		if err != nil {
			return err
		}
		u.r, u.at, u.window, u.fault = r, 0, make([]byte, 0, 64<<10), nil
	}
	for off >= u.at {
		if u.fault != nil {
			if errors.Is(u.fault, io.EOF) {
				return fmt.Errorf("the decompressed data is shorter than before: %w", io.ErrUnexpectedEOF)
			}
			return u.fault
		}
		buf := u.window[:cap(u.window)]
		n, err := u.read(u.r, buf)
		u.window, u.fault = buf[:n], err
		u.at += int64(n)
	}
	return nil
}
