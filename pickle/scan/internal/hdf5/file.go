// Numbers, addresses and texts at offsets of a file.

package hdf5

import (
	"encoding/binary"
	"errors"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// errInvalid says that a structure is invalid or not supported.
var errInvalid = errors.New("invalid or unsupported structure")

// Contents are what is found in a file.
type Contents struct {
	evidence.Report
	Attributes []evidence.Span // the values of attributes
	Pickled    bool            // whether PyTables stores pickles in a dataset
	// Unread says why not all attributes were found, "" if they were. Damaged reports whether
	// there is not even a root group; no program can open such a file.
	Unread  string
	Damaged bool
}

// A file is a file that is read.
type file struct {
	*Contents
	window  *bytesio.Window
	size    int64
	base    int64 // of addresses
	offsets int   // the size of addresses in bytes
	lengths int
	spend   func(int64) bool

	data dataset        // the object that is examined
	last int64          // the offset that was read last
	seen map[int64]bool // object headers
	todo []int64
}

// bytes returns the n bytes at an offset of the file.
func (f *file) bytes(at int64, n int) ([]byte, error) {
	cost := 1 + int64(n)/16
	if at < f.last || at > f.last+bytesio.WindowSize {
		cost += 60 // reading elsewhere than before costs more
	}
	f.last = at
	if !f.spend(cost) {
		return nil, evidence.ErrBudget
	}
	if at < 0 || n < 0 || at > f.size-int64(n) {
		return nil, errInvalid
	}
	return f.window.At(at, n)
}

// A cursor reads numbers. Its first error is kept, and later numbers are 0.
type cursor struct {
	f   *file
	at  int64 // in the file
	end int64
	err error
}

// at returns a cursor at an offset of the file.
func (f *file) at(off int64) *cursor { return &cursor{f: f, at: off, end: f.size} }

// to returns a cursor at an address.
func (f *file) to(address int64) *cursor { return f.at(f.base + address) }

// next returns the next n bytes.
func (c *cursor) next(n int) []byte {
	if c.err == nil && (n < 0 || int64(n) > c.end-c.at) {
		c.err = errInvalid
	}
	if c.err == nil {
		b, err := c.f.bytes(c.at, n)
		if c.at += int64(n); err == nil {
			return b
		}
		c.err = err
	}
	return make([]byte, min(max(n, 0), 64))
}

// uint returns the next number of n bytes, at most 8.
func (c *cursor) uint(n int) uint64 {
	var b [8]byte
	copy(b[:], c.next(n))
	return binary.LittleEndian.Uint64(b[:])
}

// skip skips n bytes.
func (c *cursor) skip(n int) { c.at += int64(n) }

// undefined is the address of what does not exist.
const undefined = -1

// address returns the next address, or undefined.
func (c *cursor) address() (int64, error) {
	v := c.uint(c.f.offsets)
	if c.err != nil {
		return 0, c.err
	}
	if v == 1<<(8*c.f.offsets)-1 || c.f.offsets == 8 && v == 1<<64-1 {
		return undefined, nil
	}
	if v > 1<<62 {
		return 0, errInvalid
	}
	return int64(v), nil
}

// length returns the next length.
func (c *cursor) length() int64 {
	v := c.uint(c.f.lengths)
	if v > 1<<62 {
		c.fail()
		return 0
	}
	return int64(v)
}

func (c *cursor) fail() {
	if c.err == nil {
		c.err = errInvalid
	}
}

// signed reports whether the next four bytes are a signature.
func (c *cursor) signed(s string) bool {
	if string(c.next(len(s))) != s {
		c.fail()
	}
	return c.err == nil
}

// text returns the text up to a zero byte, in at most n bytes.
func (c *cursor) text(n int) string {
	b := c.next(int(min(int64(n), max(c.end-c.at, 0))))
	for i, x := range b {
		if x == 0 {
			b = b[:i]
			c.at += int64(i + 1 - n)
			break
		}
	}
	return string(b)
}

// mostObjects is the number of objects that are examined.
const mostObjects = 200_000

// visit adds an object to those to be examined.
func (f *file) visit(at int64) {
	if !f.seen[at] {
		f.seen[at] = true
		f.todo = append(f.todo, at)
	}
}

// RuleFile says that a file reads others.
const RuleFile pickle.Rule = "hdf5-external-file"
