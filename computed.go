// Computed bytes: those of elements that are made when they are read.

package safetensors

import (
	"errors"
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/num"
)

// A computed reader gives the bytes of elements that are made as they are read.
// What makes them deals in whole groups of elements, and no more of them than
// its buffers hold. Reads of any offset and length are cut to that here, once
// for all that computes. It has no state, so that any number of reads can go on.
type computed struct {
	packing
	tensor string
	size   int64 // bytes
	most   int   // elements to make at once, a multiple of 8

	// fill makes the elements from first on, n at most most, which begin and
	// end with a group. With an error, it returns how many are good.
	fill func(dst []byte, first int64, n int) (int, error)
}

func (c *computed) ReadAt(b []byte, off int64) (int, error) {
	b, end := clip(c.tensor, b, off, c.size)
	n, err := c.read(b, off)
	if err == nil {
		err = end
	}
	return n, err
}

// read is ReadAt for bytes that are all there.
func (c *computed) read(b []byte, off int64) (int, error) {
	// Groups that are all wanted are made where they are wanted. Only a group of
	// which b takes a part, and those made together with it, are copied.
	var aside *buffer
	if off%c.bytes != 0 || int64(len(b))%c.bytes != 0 {
		aside = buffers.Get().(*buffer)
		defer buffers.Put(aside)
	}
	for n := 0; n < len(b); {
		rest, at := b[n:], off+int64(n)
		first, skip := at/c.bytes*c.elems, int(at%c.bytes)
		groups := (int64(skip+len(rest)) + c.bytes - 1) / c.bytes
		elems := int(min(groups*c.elems, int64(c.most)))
		size := int(int64(elems) / c.elems * c.bytes)

		out, part := rest, skip > 0 || size > len(rest)
		if part {
			out = aside[:]
		}
		done, err := c.fill(out[:size:size], first, elems)
		good := int(int64(done) / c.elems * c.bytes)
		if part {
			good = copy(rest, out[min(skip, good):good])
		}
		if n += good; err != nil {
			return n, err
		}
	}
	return len(b), nil
}

// clip returns what of b a read at off can fill from a tensor of that size, and
// the error of the read if it succeeds: io.EOF if that is not all of b.
func clip(tensor string, b []byte, off, size int64) ([]byte, error) {
	switch left := size - off; {
	case off < 0:
		return nil, fmt.Errorf("safetensors: a read of tensor %s at the negative offset %d", quote(tensor), off)
	case len(b) == 0:
		return nil, nil
	case left <= 0:
		return nil, io.EOF
	case left < int64(len(b)):
		return b[:left], io.EOF
	}
	return b, nil
}

// early returns the error of a source that gave less than it was asked for, and
// ended at the given byte if it gives no other reason. A reason is left as it
// is: it is the source's, or has the tensor's name from where it arose.
func early(tensor string, at int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("safetensors: the source of tensor %s ends at byte %d: %w", quote(tensor), at, io.ErrUnexpectedEOF)
	}
	return err
}

// repack returns the bytes of elements narrower than a byte of which some do
// not begin or end on a byte where they come from. They are taken apart, to one
// in a byte, and packed again.
func repack(a *gather, size int64) *computed {
	fill := func(dst []byte, first int64, n int) (int, error) {
		patterns := buffers.Get().(*buffer)
		defer buffers.Put(patterns)
		got, err := a.units(patterns[:n], first)
		num.Pack(dst, 0, patterns[:got], a.width)
		return got, err
	}
	return &computed{packingOf(a.width), a.tensor, size, bufferSize, fill}
}
