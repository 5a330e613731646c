// The frame: blocks one after another, each packed or not.

// Package lz4 unpacks LZ4 frames, from front to back.
//
// It is for looking into what is packed, not for keeping it: checksums are not
// compared. No more memory is taken than two blocks and 64 KiB, and a block only as
// it arrives. The formats are those of the LZ4 frame format 1.6.4 and the LZ4 block
// format (Yann Collet, 2022).
package lz4

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Magic is what a frame begins with.
const Magic = "\x04\x22\x4d\x18"

// windowSize is how far back a match may refer, in bytes.
const windowSize = 64 << 10

var errData = errors.New("lz4: the data is damaged")

// NewReader returns a reader of what the frames in r unpack to, one after another.
func NewReader(r io.Reader) (io.Reader, error) {
	f := &frames{in: bufio.NewReader(r)}
	if err := f.header(); err != nil {
		return nil, err
	}
	return f, nil
}

// frames is a reader of frames.
type frames struct {
	in   *bufio.Reader
	most int  // bytes that a block may unpack to
	sums int  // bytes of a checksum after each block
	tail int  // and after the last
	done bool // there is no further frame

	packed bytes.Buffer
	out    []byte // the end of what was unpacked; of it, from given on has yet to be read
	given  int
}

func (f *frames) Read(b []byte) (int, error) {
	for f.given == len(f.out) {
		if f.done {
			return 0, io.EOF
		}
		if err := f.block(); err != nil {
			return 0, err
		}
	}
	n := copy(b, f.out[f.given:])
	f.given += n
	return n, nil
}

// header reads what a frame begins with: the magic, a byte of flags and one that says
// how large blocks are, the size and the dictionary if flags say so, and a checksum.
func (f *frames) header() error {
	var b [6]byte
	if _, err := io.ReadFull(f.in, b[:]); err != nil {
		return short(err)
	}
	const version, blockSums, size, sum, dictionary = 0xc0, 0x10, 0x08, 0x04, 0x01
	flags := b[4]
	code := b[5] >> 4 & 7
	if string(b[:4]) != Magic || flags&version != 0x40 || code < 4 {
		return errors.New("lz4: the data does not begin as a frame does")
	}
	f.most = 1 << (8 + 2*code) // 64 KiB to 4 MiB
	f.sums, f.tail = 0, 0
	skip := 1
	for _, field := range [...]struct {
		flag byte
		add  *int
		n    int
	}{{blockSums, &f.sums, 4}, {sum, &f.tail, 4}, {size, &skip, 8}, {dictionary, &skip, 4}} {
		if flags&field.flag != 0 {
			*field.add += field.n
		}
	}
	f.out, f.given = f.out[:0], 0
	return f.skip(skip)
}

// skip reads n bytes that do not matter.
func (f *frames) skip(n int) error {
	_, err := f.in.Discard(n)
	return short(err)
}

// block reads and unpacks a block: its size in four bytes, of which the highest bit
// says that it is not packed. Of size 0, it ends the frame.
func (f *frames) block() error {
	var b [4]byte
	if _, err := io.ReadFull(f.in, b[:]); err != nil {
		return short(err)
	}
	word := binary.LittleEndian.Uint32(b[:])
	size := int(word &^ (1 << 31))
	switch {
	case word == 0:
		return f.end()
	case size > f.most:
		return errData
	}
	f.packed.Reset()
	if _, err := io.CopyN(&f.packed, f.in, int64(size)); err != nil {
		return short(err)
	}
	// Blocks may refer to those before.
	f.out = f.out[:copy(f.out, f.out[max(len(f.out)-windowSize, 0):])]
	f.given = len(f.out)
	var err error
	if word == uint32(size) {
		f.out, err = appendBlock(f.out, f.packed.Bytes(), f.most)
	} else {
		f.out = append(f.out, f.packed.Bytes()...)
	}
	if err != nil {
		return err
	}
	return f.skip(f.sums)
}

// end ends a frame. Another may follow, or frames that readers skip: their magic has
// any last digit, and then the size.
func (f *frames) end() error {
	if err := f.skip(f.tail); err != nil {
		return err
	}
	for {
		b, _ := f.in.Peek(8)
		switch {
		case len(b) == 0:
			f.done = true
			return nil
		case len(b) < 8 || binary.LittleEndian.Uint32(b)&^0xf != 0x184d2a50:
			return f.header()
		}
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if _, err := io.CopyN(io.Discard, f.in, 8+n); err != nil {
			return short(err)
		}
	}
}

// short returns the error of data that ends too early.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
