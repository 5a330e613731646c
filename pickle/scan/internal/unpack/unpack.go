// Unpacking: what is packed becomes a file, in little memory and within a budget.

// Package unpack makes of what is packed a file that can be read anywhere, of which it
// holds little: what is behind is unpacked again.
package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors/pickle/internal/codec"
)

// A Budget is what unpacking takes from: how many bytes may still be unpacked, and how many
// instructions that may cost.
type Budget struct{ Bytes, Work *int64 }

// ErrLimit says that the budget is spent.
var ErrLimit = errors.New("it unpacks to more than is unpacked")

// A packed is how to unpack something, as often as it takes.
type packed struct {
	Budget
	codec codec.Codec
	raw   func() io.Reader
	in    *codec.Source // of the last unpacking
	paid  int64         // bytes of it that were paid for
}

// open begins to unpack.
func (u *packed) open() (io.Reader, error) {
	u.in, u.paid = codec.NewSource(u.raw()), 0
	if *u.Work -= u.codec.Begin; *u.Work <= 0 {
		return nil, ErrLimit
	}
	return u.codec.Open(u.in)
}

// read reads from a reader of what is unpacked, and pays for it.
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

// Kept is how many bytes of what is unpacked are held. What is larger is unpacked
// again when it is gone back in: most of it is read from front to back.
const Kept = 4 << 20

// A File is what something unpacks to, as a file for one goroutine.
type File struct {
	Size   int64
	Sum    uint32 // CRC-32 of all
	Damage error  // why it ends, if it does not end as it should
	Used   int64  // bytes of what is packed that it was unpacked from
	Files  int    // how many it was packed as, one after another

	packed
	head []byte // the first Kept bytes, or all
	tail []byte // the last of them, where the end of an archive would be

	r      io.Reader // for what is behind head
	at     int64     // where r is
	window []byte    // what r gave last
	fault  error     // of r, once it had one
}

// Open unpacks something once, to know how much it is. The error is of reading
// what is packed; that it is damaged is none.
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

// keepTail keeps the last bytes of what is unpacked.
func (u *File) keepTail(b []byte) {
	const most = 80 << 10 // bytes: an end record of zip, and the longest comment behind it
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

// seek sees to it that the byte at off is in the window.
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
				return fmt.Errorf("it unpacks to less than before: %w", io.ErrUnexpectedEOF)
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
