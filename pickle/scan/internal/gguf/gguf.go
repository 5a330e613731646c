// Package gguf reads the header of a GGUF file: its metadata, and where its tensors are. It
// follows the specification of GGUF 1 to 3 in both byte orders.
package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// Magic is the beginning of a file.
const Magic = "GGUF"

// MaxString is the size of the longest string that is passed on, in bytes.
const MaxString = 4 << 20

// A Visitor receives the metadata.
type Visitor interface {
	// Text is a string, or an element of an array of strings. The value is valid only during
	// the call.
	Text(key string, value []byte, element bool, at int64)
	// Spend takes work from the budget, counted in bytes, and reports whether any is left.
	Spend(n int64) bool
}

// An Error says where a header is invalid.
type Error struct {
	At   int64 // offset in bytes
	What string
	// Short reports whether the file ends before the header does.
	Short bool
}

// Error returns the error as a text.
func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.At) }

// A header is the state of reading one.
type header struct {
	r     *bufio.Reader
	at    int64
	size  int64
	wide  bool // lengths have 8 bytes
	order binary.ByteOrder
	visit Visitor
	align int64
}

// Read reads the header of the file in r and returns where the data of its tensors begins. The
// error is an *Error, evidence.ErrBudget, or a read error.
func Read(r io.ReaderAt, size int64, v Visitor) (data int64, err error) {
	const window = 64 << 10
	h := &header{r: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), window), size: size, order: binary.LittleEndian,
		visit: v, align: 32}
	if err := h.skip(int64(len(Magic))); err != nil {
		return 0, err
	}
	version, err := h.uint32()
	if err != nil {
		return 0, err
	}
	if version&0xffff == 0 {
		version, h.order = bits.ReverseBytes32(version), binary.BigEndian
	}
	if version < 1 || version > 3 {
		return 0, h.wrong("the version is %d; known versions are 1 to 3", version)
	}
	h.wide = version > 1
	tensors, err := h.length()
	if err != nil {
		return 0, err
	}
	entries, err := h.length()
	if err != nil {
		return 0, err
	}
	const leastEntry, leastTensor = 9, 20 // bytes
	if entries > (size-h.at)/leastEntry || tensors > (size-h.at)/leastTensor {
		return 0, h.short("the file is too short for %d entries and %d tensors", entries, tensors)
	}
	for range entries {
		if err := h.entry(); err != nil {
			return 0, err
		}
	}
	return h.tensors(tensors)
}

// wrong returns an error at the current position.
func (h *header) wrong(format string, args ...any) error {
	return &Error{At: h.at, What: fmt.Sprintf(format, args...)}
}

// short returns an error about a file that ends before its header.
func (h *header) short(format string, args ...any) error {
	return &Error{At: h.at, What: fmt.Sprintf(format, args...), Short: true}
}

// bytes reads a few bytes.
func (h *header) bytes(b []byte) error {
	if int64(len(b)) > h.size-h.at {
		return h.short("the header is truncated")
	}
	n, err := io.ReadFull(h.r, b)
	h.at += int64(n)
	return err
}

// skip skips bytes.
func (h *header) skip(n int64) error {
	if n < 0 || n > h.size-h.at {
		return h.short("the header is truncated")
	}
	for n > 0 {
		k, err := h.r.Discard(int(min(n, 1<<20)))
		h.at += int64(k)
		n -= int64(k)
		if err != nil {
			return err
		}
		if !h.visit.Spend(int64(k) / 16) {
			return evidence.ErrBudget
		}
	}
	return nil
}

// uint32 reads a number of 4 bytes.
func (h *header) uint32() (uint32, error) {
	var b [4]byte
	err := h.bytes(b[:])
	return h.order.Uint32(b[:]), err
}

// uint64 reads a number of 8 bytes.
func (h *header) uint64() (uint64, error) {
	var b [8]byte
	err := h.bytes(b[:])
	return h.order.Uint64(b[:]), err
}

// length reads a length or a number of items.
func (h *header) length() (int64, error) {
	if !h.wide {
		n, err := h.uint32()
		return int64(n), err
	}
	n, err := h.uint64()
	if err == nil && n > math.MaxInt64 {
		err = h.wrong("the length %d is larger than any file", n)
	}
	return int64(n), err
}

// text reads a string. One that is too long is skipped, and nil.
func (h *header) text() ([]byte, error) {
	n, err := h.length()
	if err != nil {
		return nil, err
	}
	if n > h.size-h.at {
		return nil, h.short("a string of %d bytes extends beyond the file", n)
	}
	if n > MaxString {
		return nil, h.skip(n)
	}
	if !h.visit.Spend(n + 4) {
		return nil, evidence.ErrBudget
	}
	b := make([]byte, n)
	return b, h.bytes(b)
}

// The types of values.
const (
	typeString = 8
	typeArray  = 9
)

// sizes are the sizes of the types of a fixed size, in bytes.
var sizes = [...]int64{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

// entry reads a key and its value.
func (h *header) entry() error {
	key, err := h.text()
	if err != nil {
		return err
	}
	kind, err := h.uint32()
	if err != nil {
		return err
	}
	if string(key) == "general.alignment" && kind == 4 {
		return h.alignment()
	}
	return h.value(string(key), kind)
}

// alignment reads the alignment of tensors.
func (h *header) alignment() error {
	n, err := h.uint32()
	if err == nil && (n == 0 || n&(n-1) != 0) {
		err = h.wrong("the alignment %d is not a power of two", n)
	}
	h.align = int64(n)
	return err
}

// value reads a value. Arrays within arrays are read with a list of what is left of each.
func (h *header) value(key string, kind uint32) error {
	const deepest = 16
	type level struct {
		kind uint32
		left int64
	}
	open := []level{{kind, 1}}
	for len(open) > 0 {
		l := &open[len(open)-1]
		if l.left == 0 {
			open = open[:len(open)-1]
			continue
		}
		switch {
		case l.kind == typeString:
			l.left--
			at := h.at
			b, err := h.text()
			if err != nil {
				return err
			}
			h.visit.Text(key, b, len(open) > 1, at)
		case l.kind == typeArray:
			l.left--
			inner, err := h.uint32()
			if err != nil {
				return err
			}
			n, err := h.length()
			if err != nil {
				return err
			}
			if len(open) == deepest {
				return h.wrong("arrays are nested deeper than %d levels", deepest)
			}
			open = append(open, level{inner, n})
		case l.kind < uint32(len(sizes)) && sizes[l.kind] > 0:
			if l.left > h.size/sizes[l.kind] {
				return h.wrong("an array of %d elements extends beyond the file", l.left)
			}
			n := l.left * sizes[l.kind]
			l.left = 0
			if err := h.skip(n); err != nil {
				return err
			}
		default:
			return h.wrong("the type %d of a value is unknown", l.kind)
		}
	}
	return nil
}

// tensors reads the descriptions of n tensors and returns where their data begins.
func (h *header) tensors(n int64) (int64, error) {
	const mostDims = 8
	var last uint64
	for range n {
		if _, err := h.text(); err != nil {
			return 0, err
		}
		dims, err := h.uint32()
		if err != nil {
			return 0, err
		}
		if dims > mostDims {
			return 0, h.wrong("a tensor has %d dimensions", dims)
		}
		count := uint64(1)
		for range dims {
			size := uint64(0)
			if h.wide {
				size, err = h.uint64()
			} else {
				var s uint32
				s, err = h.uint32()
				size = uint64(s)
			}
			if err != nil {
				return 0, err
			}
			high, low := bits.Mul64(count, size)
			if count = low; high != 0 || low > math.MaxInt64 {
				return 0, h.wrong("a tensor has more elements than any file")
			}
		}
		if err := h.skip(4); err != nil { // its type
			return 0, err
		}
		off, err := h.uint64()
		if err != nil {
			return 0, err
		}
		last = max(last, off)
	}
	data := (h.at + h.align - 1) / h.align * h.align
	if n > 0 && last > uint64(max(h.size-data, 0)) {
		return 0, h.short("a tensor begins beyond the end of the file")
	}
	return min(data, h.size), nil
}
