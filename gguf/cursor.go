// Reading numbers and strings in order.

package gguf

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
)

// errEnd says that the file ends before what is to be read.
var errEnd = errors.New("the file ends")

// A cursor reads a file in order.
type cursor struct {
	window *bytesio.Window
	size   int64 // of the file
	at     int64
	order  binary.ByteOrder
	length int // the size in bytes of lengths, counts and dimensions
}

func newCursor(r io.ReaderAt, size int64) *cursor {
	return &cursor{window: bytesio.NewWindow(r, size), size: size, order: binary.LittleEndian, length: 8}
}

// left returns the number of bytes before the end of the file.
func (c *cursor) left() int64 { return c.size - c.at }

// next returns the next n bytes, which are valid until the next call. The caller limits n.
func (c *cursor) next(n int) ([]byte, error) {
	if int64(n) > c.left() {
		return nil, errEnd
	}
	b, err := c.window.At(c.at, n)
	if err != nil {
		return nil, err
	}
	c.at += int64(n)
	return b, nil
}

// uint returns the next number of n bytes, at most 8.
func (c *cursor) uint(n int) (uint64, error) {
	b, err := c.next(n)
	if err != nil {
		return 0, err
	}
	switch n {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(c.order.Uint16(b)), nil
	case 4:
		return uint64(c.order.Uint32(b)), nil
	}
	return c.order.Uint64(b), nil
}
