// The container xz: streams of blocks, each packed by LZMA2, with checks and an index.

package lzma

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Magic is what an xz file begins with.
const Magic = "\xfd7zXZ\x00"

// NewXZReader returns a reader of what an xz file unpacks to: of all streams that
// stand in it one after another.
func NewXZReader(r io.Reader) (io.Reader, error) {
	x := &xz{in: &counted{Reader: bufio.NewReader(r)}}
	if err := x.header(); err != nil {
		return nil, err
	}
	return x, nil
}

// A counted reader knows how many bytes were read: much in xz is aligned to four.
type counted struct {
	*bufio.Reader
	n int64
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// An xz is a reader of an xz file.
type xz struct {
	in    *counted
	check int    // the size in bytes of what follows each block
	block *lzma2 // that is being read, nil between two
	done  bool
}

func (x *xz) Read(b []byte) (int, error) {
	for !x.done {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := x.block.Read(b)
		if err == io.EOF {
			err, x.block = x.endBlock(), nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.EOF
}

// header reads what a stream begins with: the magic, two bytes of flags of which the
// second is the kind of check, and the check of these.
func (x *xz) header() error {
	var b [12]byte
	if _, err := io.ReadFull(x.in, b[:]); err != nil {
		return short(err)
	}
	if string(b[:6]) != Magic || b[6] != 0 || b[7] > 15 {
		return errors.New("xz: the data does not begin as an xz file does")
	}
	x.check = [...]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[b[7]]
	return nil
}

// next goes on to the next block, of this stream or the next.
func (x *xz) next() error {
	size, err := x.in.ReadByte()
	if err != nil {
		return short(err)
	}
	if size != 0 {
		return x.beginBlock(4 * (int(size) + 1))
	}
	if err := x.index(); err != nil {
		return err
	}
	// Between streams there may be zeros, four by four.
	for {
		b, err := x.in.Peek(4)
		if len(b) == 0 && errors.Is(err, io.EOF) {
			x.done = true
			return nil
		}
		if len(b) < 4 || binary.LittleEndian.Uint32(b) != 0 {
			return x.header()
		}
		x.in.Discard(4)
	}
}

// beginBlock reads the header of a block, of which the first byte was read: it says
// how it is packed.
func (x *xz) beginBlock(size int) error {
	b := make([]byte, size-1) // up to 1,023
	if _, err := io.ReadFull(x.in, b); err != nil {
		return short(err)
	}
	fields := b[1:]
	for _, flag := range [...]byte{0x40, 0x80} { // the sizes, packed and not
		if b[0]&flag != 0 {
			_, n := binary.Uvarint(fields)
			if n <= 0 {
				return errData
			}
			fields = fields[n:]
		}
	}
	const lzma2Filter = 0x21 // and one byte of properties: the size of the dictionary
	if b[0]&3 != 0 || len(fields) < 3 || fields[0] != lzma2Filter || fields[1] != 1 {
		return fmt.Errorf("xz: the data is packed by filters of which only LZMA2 is read")
	}
	x.block = newLZMA2(x.in)
	return nil
}

// endBlock reads what follows a block: zeros up to a multiple of four bytes, and the
// check.
func (x *xz) endBlock() error {
	if err := x.align(); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, x.in, int64(x.check))
	return short(err)
}

// align reads up to a multiple of four bytes.
func (x *xz) align() error {
	_, err := io.CopyN(io.Discard, x.in, -x.in.n&3)
	return short(err)
}

// index reads the index of a stream, which says again how long its blocks are, and
// what follows it: a check of four bytes, and twelve that end the stream.
func (x *xz) index() error {
	blocks, err := binary.ReadUvarint(x.in)
	for ; blocks > 0 && err == nil; blocks-- {
		if _, err = binary.ReadUvarint(x.in); err == nil {
			_, err = binary.ReadUvarint(x.in)
		}
	}
	if err != nil {
		return short(err)
	}
	if err := x.align(); err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, x.in, 4+12)
	return short(err)
}
