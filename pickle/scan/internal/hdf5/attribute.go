// Attributes and their values.

package hdf5

import (
	"strconv"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// Classes of data types.
const (
	classString   = 3
	classVariable = 9
)

// mostElements is the number of elements of an attribute that are examined.
const mostElements = 100_000

// quote returns a name for a message.
func quote(s string) string {
	const most = 200
	return strconv.Quote(s[:min(len(s), most)])
}

// attribute examines an attribute: a name, a type, a shape, and the value.
func (f *file) attribute(c *cursor) error {
	version := c.uint(1)
	flags := c.uint(1)
	nameSize, typeSize, shapeSize := int(c.uint(2)), int(c.uint(2)), int(c.uint(2))
	if version == 3 {
		c.skip(1)
	}
	pad := func(n int) int { return n }
	if version == 1 {
		pad = func(n int) int { return (n + 7) &^ 7 }
	}
	if c.err != nil || version < 1 || version > 3 {
		return errInvalid
	}
	name := (&cursor{f: f, at: c.at, end: c.end}).text(nameSize)
	c.skip(pad(nameSize))
	kind := (&cursor{f: f, at: c.at, end: c.end}).uint(1)
	c.skip(pad(typeSize) + pad(shapeSize))
	if c.err != nil || c.at > c.end {
		return errInvalid
	}
	value := evidence.Span{Pos: c.at, End: c.end}
	f.Pickled = f.Pickled || name == "PSEUDOATOM" || name == "CLASS" && f.is(value, "VLARRAY")
	const sharedType = 1
	if flags&sharedType != 0 || kind&15 == classVariable {
		// A shared type may be one of variable length, too.
		return f.variable(c, flags&sharedType != 0)
	}
	return f.value(value)
}

// is reports whether a value begins with a text.
func (f *file) is(value evidence.Span, text string) bool {
	b, err := f.bytes(value.Pos, int(min(value.Len(), int64(len(text)))))
	return err == nil && string(b) == text
}

// value adds the value of an attribute.
func (f *file) value(span evidence.Span) error {
	if len(f.Attributes) > mostObjects {
		return evidence.ErrBudget
	}
	f.Attributes = append(f.Attributes, span)
	return nil
}

// variable adds values of variable length: each is a length, the address of a heap, and the number
// of an object in it. If it is only perhaps such a value, it is added itself, too.
func (f *file) variable(c *cursor, perhaps bool) error {
	if perhaps {
		if err := f.value(evidence.Span{Pos: c.at, End: c.end}); err != nil {
			return err
		}
	}
	size := int64(4 + f.offsets + 4)
	for n := 0; c.end-c.at >= size && n < mostElements; n++ {
		length := c.uint(4)
		heap, err := c.address()
		index := c.uint(4)
		if err == nil && c.err == nil && heap != undefined && heap > 0 && length > 0 {
			err = f.heapObject(heap, index)
		}
		if err != nil && !perhaps {
			return err
		}
	}
	return nil
}

// heapObject adds an object of a global heap.
func (f *file) heapObject(heap int64, index uint64) error {
	c := f.to(heap)
	c.signed("GCOL")
	c.skip(4)
	end := f.base + heap + c.length()
	for c.err == nil && c.at < end {
		i := c.uint(2)
		c.skip(6)
		size := c.length()
		if i == index && c.err == nil && i != 0 {
			if size > f.size-c.at {
				return errInvalid
			}
			return f.value(evidence.Span{Pos: c.at, End: c.at + size})
		}
		if i == 0 || size < 0 {
			return errInvalid // free space
		}
		c.at += (size + 7) &^ 7
	}
	return errInvalid
}
