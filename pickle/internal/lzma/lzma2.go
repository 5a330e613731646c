// LZMA2: a sequence of chunks of up to 2 MiB, each LZMA or uncompressed.

package lzma

import (
	"encoding/binary"
	"io"
)

// A byteReader reads single bytes and slices.
type byteReader interface {
	io.Reader
	io.ByteReader
}

// An lzma2 reads LZMA2 data up to its end marker.
type lzma2 struct {
	in byteReader
	decoder
	chunk  limited // the remaining bytes of a compressed chunk
	left   int64   // uncompressed bytes remaining in the chunk
	packed bool    // the chunk is compressed
	done   bool
	err    error // returned once all output has been read
}

func newLZMA2(in byteReader) *lzma2 { return &lzma2{in: in} }

// Read implements io.Reader.
func (z *lzma2) Read(b []byte) (int, error) {
	for len(z.ready()) == 0 {
		switch {
		case z.err != nil:
			return 0, z.err
		case z.done:
			return 0, io.EOF
		case z.left == 0:
			z.err = z.next()
		case z.packed:
			z.err = z.unpack()
		default:
			n := int(min(z.left, 1<<16))
			z.left -= int64(n)
			z.err = z.copyFrom(z.in, n)
		}
	}
	return z.take(b), nil
}

// next reads a chunk header. The control byte says whether the chunk is compressed and what to reset first.
func (z *lzma2) next() error {
	control, err := z.in.ReadByte()
	if err != nil {
		return short(err)
	}
	switch {
	case control == 0:
		z.done = true
		return nil
	case control > 2 && control < 0x80:
		return errData
	}
	var b [5]byte
	head := b[:2]
	if control >= 0x80 {
		head = b[:4]
		if control >= 0xc0 {
			head = b[:5]
		}
	}
	if _, err := io.ReadFull(z.in, head); err != nil {
		return short(err)
	}
	z.left = int64(binary.BigEndian.Uint16(b[:])) + 1
	if control == 1 || control >= 0xe0 {
		z.forget()
	}
	if z.packed = control >= 0x80; !z.packed {
		return nil
	}
	z.left += int64(control&0x1f) << 16
	z.chunk = limited{z.in, int64(binary.BigEndian.Uint16(b[2:])) + 1}
	return z.begin(control, b[4])
}

// begin starts a compressed chunk.
func (z *lzma2) begin(control, properties byte) error {
	switch {
	case control >= 0xc0:
		if err := z.properties(properties); err != nil {
			return err
		}
	case z.literals == nil:
		return errData // the first chunk must set properties
	case control >= 0xa0:
		z.reset()
	}
	return z.start(&z.chunk)
}

// unpack decompresses part of a compressed chunk.
func (z *lzma2) unpack() error {
	n, err := z.decode(min(z.left, 1<<16))
	if z.left -= n; err != nil {
		return err
	}
	if z.left < 0 || z.ended {
		return errData // a match extends past the chunk, or an end marker inside LZMA2
	}
	if z.left == 0 {
		_, err = io.CopyN(io.Discard, z.in, z.chunk.n)
	}
	return short(err)
}

// A limited reader reads at most n bytes.
type limited struct {
	in io.ByteReader
	n  int64
}

// ReadByte implements io.ByteReader.
func (l *limited) ReadByte() (byte, error) {
	if l.n <= 0 {
		return 0, io.EOF
	}
	l.n--
	return l.in.ReadByte()
}
