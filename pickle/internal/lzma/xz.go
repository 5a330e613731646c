// The xz container: streams of LZMA2 blocks with checks and an index.

package lzma

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Magic is the signature at the start of an xz file.
const Magic = "\xfd7zXZ\x00"

// NewXZReader returns a reader that decompresses all concatenated streams of an xz file.
func NewXZReader(r io.Reader) (io.Reader, error) {
	x := &xz{in: &counted{Reader: bufio.NewReader(r)}}
	if err := x.header(); err != nil {
		return nil, err
	}
	return x, nil
}

// A counted reader counts the bytes read, because xz aligns its fields to four bytes.
type counted struct {
	*bufio.Reader
	n int64
}

// ReadByte implements io.ByteReader.
func (c *counted) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// An xz reads an xz file.
type xz struct {
	in    *counted
	check int    // size in bytes of the check after each block
	block *lzma2 // the current block, nil between blocks
	done  bool
}

// Read implements io.Reader.
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

// header reads a stream header: the magic, two flag bytes (the second is the check type), and a CRC.
func (x *xz) header() error {
	var b [12]byte
	if _, err := io.ReadFull(x.in, b[:]); err != nil {
		return short(err)
	}
	if string(b[:6]) != Magic || b[6] != 0 || b[7] > 15 {
		return errors.New("xz: invalid stream header")
	}
	x.check = [...]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[b[7]]
	return nil
}

// next advances to the next block, in this stream or the one after it.
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
	// Streams can be separated by zero padding in units of four bytes.
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

// beginBlock reads the block header after its first byte, which gave the size.
func (x *xz) beginBlock(size int) error {
	b := make([]byte, size-1) // at most 1,023
	if _, err := io.ReadFull(x.in, b); err != nil {
		return short(err)
	}
	fields := b[1:]
	for _, flag := range [...]byte{0x40, 0x80} { // compressed and uncompressed size
		if b[0]&flag != 0 {
			_, n := binary.Uvarint(fields)
			if n <= 0 {
				return errData
			}
			fields = fields[n:]
		}
	}
	const lzma2Filter = 0x21 // its only property byte is the dictionary size
	if b[0]&3 != 0 || len(fields) < 3 || fields[0] != lzma2Filter || fields[1] != 1 {
		return errors.New("xz: unsupported filter: only LZMA2 is supported")
	}
	x.block = newLZMA2(x.in)
	return nil
}

// endBlock reads the padding and the check after a block.
func (x *xz) endBlock() error {
	if err := x.align(); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, x.in, int64(x.check))
	return short(err)
}

// align skips to a multiple of four bytes.
func (x *xz) align() error {
	_, err := io.CopyN(io.Discard, x.in, -x.in.n&3)
	return short(err)
}

// index skips the index of a stream, which repeats the block sizes, its CRC (4 bytes), and the stream footer (12).
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
