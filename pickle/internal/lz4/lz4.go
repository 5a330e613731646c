// The LZ4 frame format: blocks, each compressed or stored.

// Package lz4 decompresses LZ4 frames.
//
// The package exists because a scanner must read every frame that a loader reads, including frames with a dictionary
// ID. Checksums are not verified. Memory is limited to two blocks and 64 KiB, and a block is allocated only as its
// bytes arrive. The formats are the LZ4 frame format 1.6.4 and the LZ4 block format (Yann Collet, 2022).
package lz4

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// Magic is the signature at the start of a frame.
const Magic = "\x04\x22\x4d\x18"

// windowSize is the maximum match distance in bytes.
const windowSize = 64 << 10

var errData = errors.New("lz4: invalid data")

// NewReader returns a reader that decompresses the concatenated frames in r.
func NewReader(r io.Reader) (io.Reader, error) {
	f := &frames{in: bufio.NewReader(r)}
	if err := f.header(); err != nil {
		return nil, err
	}
	return f, nil
}

// frames reads concatenated frames.
type frames struct {
	in   *bufio.Reader
	most int  // maximum uncompressed size of a block
	sums int  // bytes of checksum after each block
	tail int  // bytes of checksum after the last block
	done bool // there are no more frames

	packed bytes.Buffer
	out    []byte // recent output; bytes from given on have not been read yet
	given  int
}

// Read implements io.Reader.
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

// header reads a frame header: the magic, a flag byte, the block size code, the optional content size and dictionary
// ID, and a checksum.
func (f *frames) header() error {
	var b [6]byte
	if _, err := io.ReadFull(f.in, b[:]); err != nil {
		return short(err)
	}
	const version, blockSums, size, sum, dictionary = 0xc0, 0x10, 0x08, 0x04, 0x01
	flags := b[4]
	code := b[5] >> 4 & 7
	if string(b[:4]) != Magic || flags&version != 0x40 || code < 4 {
		return errors.New("lz4: invalid frame header")
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

// skip discards n bytes.
func (f *frames) skip(n int) error {
	_, err := f.in.Discard(n)
	return short(err)
}

// block reads and decompresses a block. Its size is a 32-bit number whose highest bit marks a stored block; size 0 ends
// the frame.
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
	// Matches can refer to previous blocks.
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

// end ends a frame. Another frame may follow, or skippable frames: their magic ends in any hexadecimal digit, and their
// size follows it.
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

// short converts io.EOF to io.ErrUnexpectedEOF.
func short(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
