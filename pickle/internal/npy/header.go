// Headers: what they say of the bytes behind them.

// Package npy reads the headers of NumPy arrays: how long an array is, and whether it
// has objects in it, which are a pickle.
//
// A header is a Python literal, and is parsed as one: nothing is evaluated, and what is
// no literal is an error. The format is that of NumPy's enhancement proposal 1.
package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Magic is what a .npy file begins with; two bytes of version follow.
const Magic = "\x93NUMPY"

// A Header is what stands before an array.
type Header struct {
	Objects bool  // whether there is an object anywhere in the dtype
	Size    int64 // of the array in bytes, -1 if the dtype or the shape is none

	Descr string  // the dtype as in "<f4", "" if it is none or has fields
	Order byte    // 'C' or 'F', by which index is the fastest, the last or the first; 0 if it is not said
	Shape []int64 // in elements; nil if it is none
}

// A Prefix is what stands before a header.
type Prefix struct {
	Major, Minor  byte
	Begin, Length int64 // of the header, in bytes
}

// ReadPrefix reads how long a header is, from the first bytes of a file. It returns false
// if they are not enough.
func ReadPrefix(head []byte) (Prefix, bool) {
	if len(head) < len(Magic)+4 {
		return Prefix{}, false
	}
	p := Prefix{Major: head[6], Minor: head[7], Begin: 10, Length: int64(binary.LittleEndian.Uint16(head[8:]))}
	if p.Major > 1 {
		if len(head) < 12 {
			return p, false
		}
		p.Begin, p.Length = 12, int64(binary.LittleEndian.Uint32(head[8:]))
	}
	return p, true
}

// Exists says whether the version is one that there is: 1.0, 2.0 and 3.0.
func (p Prefix) Exists() bool { return p.Major >= 1 && p.Major <= 3 && p.Minor == 0 }

// Parse reads a header.
func Parse(text []byte) (Header, error) {
	l, err := parseLiteral(text)
	if err != nil {
		return Header{Size: -1}, err
	}
	if l.kind != dictLiteral {
		return Header{Size: -1}, fmt.Errorf("it is no dict")
	}
	h := Header{Size: -1}
	width, objects, ok := dtypeOf(l.get("descr"), 0)
	h.Objects = objects
	if n, known := elementsOf(l.get("shape")); known && ok {
		if high, low := bits.Mul64(uint64(n), uint64(width)); high == 0 && low < math.MaxInt64 {
			h.Size = int64(low)
		}
	}
	h.describe(l)
	return h, nil
}

// describe fills in what is known of an array that is one of numbers.
func (h *Header) describe(l literal) {
	if descr := l.get("descr"); descr.kind == stringLiteral {
		h.Descr = descr.text
	}
	switch l.get("fortran_order").text {
	case "False":
		h.Order = 'C'
	case "True":
		h.Order = 'F'
	}
	shape := l.get("shape")
	if _, known := elementsOf(shape); known {
		h.Shape = make([]int64, 0, len(shape.items))
		for _, d := range shape.items {
			h.Shape = append(h.Shape, d.number)
		}
	}
}

// elementsOf returns the number of elements that a shape has.
func elementsOf(shape literal) (int64, bool) {
	if shape.kind != tupleLiteral && shape.kind != listLiteral {
		return 0, false
	}
	n := int64(1)
	for _, d := range shape.items {
		high, low := bits.Mul64(uint64(n), uint64(d.number))
		if d.kind != intLiteral || d.number < 0 || high > 0 || low > math.MaxInt64 {
			return 0, false
		}
		n = int64(low)
	}
	return n, true
}

// dtypeOf returns the bytes of an element of the dtype that a description is of, and
// whether objects are in it. A description is a string, a list of fields, or a
// dtype with a shape. Depth is how deep it lies in others.
func dtypeOf(d literal, depth int) (width int64, objects, ok bool) {
	const deepest = 32 // and literals are no deeper than that
	switch {
	case depth > deepest:
		return 0, false, false
	case d.kind == stringLiteral:
		return scalarOf(d.text)
	case d.kind == tupleLiteral && len(d.items) == 2:
		width, objects, ok = dtypeOf(d.items[0], depth+1)
		n, known := elementsOf(d.items[1])
		return width * min(n, math.MaxInt32), objects, ok && known && n <= math.MaxInt32 && width < math.MaxInt32
	case d.kind == listLiteral:
		ok = true
		for _, field := range d.items {
			w, o, known := fieldOf(field, depth)
			width, objects, ok = width+w, objects || o, ok && known && width < math.MaxInt32
		}
		return width, objects, ok
	}
	return 0, hasObject(d), false
}

// fieldOf returns what dtypeOf does of a field: a name, a dtype, and a shape if there
// are several.
func fieldOf(field literal, depth int) (width int64, objects, ok bool) {
	if field.kind != tupleLiteral || len(field.items) < 2 || len(field.items) > 3 {
		return 0, hasObject(field), false
	}
	dtype := field.items[1]
	if len(field.items) == 3 {
		dtype = literal{kind: tupleLiteral, items: field.items[1:]}
	}
	return dtypeOf(dtype, depth+1)
}

// scalarOf returns what dtypeOf does of a dtype's name: a byte order, a kind, and how
// many bytes, or for text characters, there are.
func scalarOf(name string) (width int64, objects, ok bool) {
	code := bytes.TrimLeft([]byte(name), "<>|=")
	if len(code) == 0 {
		return 0, false, false
	}
	if code[0] == 'O' || string(code) == "object" || string(code) == "object_" {
		return 8, true, true
	}
	i := 1
	for ; i < len(code) && '0' <= code[i] && code[i] <= '9' && width < math.MaxInt32; i++ {
		width = 10*width + int64(code[i]-'0')
	}
	switch code[0] {
	case 'U':
		width *= 4
	case '?':
		width = 1
	case 'b', 'i', 'u', 'f', 'c', 'S', 'a', 'V', 'm', 'M':
	default:
		return 0, bytes.ContainsRune(code, 'O'), false
	}
	// A unit follows the size of times, as in "M8[ns]".
	unit := code[0] == 'm' || code[0] == 'M'
	return width, false, i == len(code) || unit && code[i] == '['
}

// hasObject says whether an object dtype may be somewhere in a literal that has no
// form of a dtype.
func hasObject(d literal) bool {
	if d.kind == stringLiteral {
		_, objects, _ := scalarOf(d.text)
		return objects
	}
	for _, item := range d.items {
		if hasObject(item) {
			return true
		}
	}
	return false
}
