// LZMA2: chunks of up to 2 MiB, each packed or not.

package lzma

import (
	"encoding/binary"
	"io"
)

// A byteReader reads bytes one by one, and many.
type byteReader interface {
	io.Reader
	io.ByteReader
}

// An lzma2 is a reader of LZMA2 up to its end.
type lzma2 struct {
	in byteReader
	decoder
	chunk  limited // what is left of a packed chunk
	left   int64   // bytes that the chunk has yet to unpack to
	packed bool    // whether it is packed
	done   bool
}

func newLZMA2(in byteReader) *lzma2 { return &lzma2{in: in} }

func (z *lzma2) Read(b []byte) (int, error) {
	for len(z.ready()) == 0 {
		var err error
		switch {
		case z.done:
			return 0, io.EOF
		case z.left == 0:
			err = z.next()
		case z.packed:
			err = z.unpack()
		default:
			n := int(min(z.left, 1<<16))
			z.left -= int64(n)
			err = z.copyFrom(z.in, n)
		}
		if err != nil {
			return 0, err
		}
	}
	return z.take(b), nil
}

// next reads the header of a chunk. Its first byte says whether the chunk is packed,
// and what is to be forgotten before it.
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

// begin begins a packed chunk.
func (z *lzma2) begin(control, properties byte) error {
	switch {
	case control >= 0xc0:
		if err := z.properties(properties); err != nil {
			return err
		}
	case z.literals == nil:
		return errData // the first chunk has to say
	case control >= 0xa0:
		z.reset()
	}
	return z.start(&z.chunk)
}

// unpack unpacks some of a packed chunk.
func (z *lzma2) unpack() error {
	n, err := z.decode(min(z.left, 1<<16))
	if z.left -= n; err != nil {
		return err
	}
	if z.left < 0 || z.ended {
		return errData // a match that goes on behind the chunk, or the mark of an end
	}
	if z.left == 0 {
		_, err = io.CopyN(io.Discard, z.in, z.chunk.n)
	}
	return short(err)
}

// A limited reader reads n bytes, and no more.
type limited struct {
	in io.ByteReader
	n  int64
}

func (l *limited) ReadByte() (byte, error) {
	if l.n <= 0 {
		return 0, io.EOF
	}
	l.n--
	return l.in.ReadByte()
}
