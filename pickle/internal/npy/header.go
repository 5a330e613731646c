// Headers of arrays.

// Package npy parses the headers of NumPy arrays: the size of the array, and whether it contains objects, which are
// stored as a pickle.
//
// A header is a Python literal. It is parsed, never evaluated. The format is NumPy Enhancement Proposal 1. NumPy reads
// many more literals than it writes (numpy/lib/format.py, descr_to_dtype); the package rejects
// those that it does not write, and so never depends on how NumPy understands them.
package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/dtype"
)

// Magic is the signature at the start of a .npy file. Two bytes of version follow.
const Magic = "\x93NUMPY"

// A Header describes an array.
type Header struct {
	Objects bool  // the dtype contains objects
	Size    int64 // size of the data in bytes, -1 if the dtype or the shape is invalid

	Descr string  // the dtype such as "<f4", "" if it is invalid or has fields
	Order byte    // 'C' if the last index varies fastest, 'F' if the first does, 0 if unknown
	Shape []int64 // in elements; nil if it is invalid
}

// A Prefix precedes a header.
type Prefix struct {
	Major, Minor  byte
	Begin, Length int64 // offset and size of the header
}

// ReadPrefix parses the prefix at the start of a file; ok is false if head is too short.
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

// Exists reports whether the version is 1.0, 2.0 or 3.0.
func (p Prefix) Exists() bool { return p.Major >= 1 && p.Major <= 3 && p.Minor == 0 }

// Parse parses a header.
func Parse(text []byte) (Header, error) {
	l, err := parseLiteral(text)
	if err != nil {
		return Header{Size: -1}, err
	}
	if l.kind != dictLiteral {
		return Header{Size: -1}, fmt.Errorf("the header is not a dict")
	}
	if err := l.hasKeys("descr", "fortran_order", "shape"); err != nil {
		return Header{Size: -1}, err
	}
	h := Header{Size: -1}
	width, objects, ok := dtypeOf(l.get("descr"))
	h.Objects = objects
	if n, known := elementsOf(l.get("shape")); known && ok {
		if high, low := bits.Mul64(uint64(n), uint64(width)); high == 0 && low < math.MaxInt64 {
			h.Size = int64(low)
		}
	}
	h.describe(l)
	return h, nil
}

// describe sets the fields for arrays of numbers.
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

// elementsOf returns the number of elements for a shape.
func elementsOf(shape literal) (int64, bool) {
	if shape.kind != tupleLiteral {
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

// dtypeOf returns the size of an element in bytes, and whether it contains objects. A dtype is described by a string, a
// list of fields, or a tuple of a dtype and a shape. They nest at most as deep as literals.
func dtypeOf(d literal) (width int64, objects, ok bool) {
	switch {
	case d.kind == stringLiteral && !d.escaped:
		return scalarOf(d.text)
	case d.kind == tupleLiteral && len(d.items) == 2:
		width, objects, ok = dtypeOf(d.items[0])
		n, known := elementsOf(d.items[1])
		// NumPy takes a shape of text without a size for the size.
		ok = ok && known && n <= math.MaxInt32 && width > 0 && width < math.MaxInt32
		return width * min(n, math.MaxInt32), objects, ok
	case d.kind == listLiteral:
		ok = true
		for _, field := range d.items {
			w, o, known := fieldOf(field)
			width, objects, ok = width+w, objects || o, ok && known && width < math.MaxInt32
		}
		return width, objects, ok
	}
	return 0, hasObject(d), false
}

// fieldOf returns the same for a field: a name, a dtype, and an optional shape.
func fieldOf(field literal) (width int64, objects, ok bool) {
	if field.kind != tupleLiteral || len(field.items) < 2 || len(field.items) > 3 {
		return 0, hasObject(field), false
	}
	dtype := field.items[1]
	if len(field.items) == 3 {
		dtype = literal{kind: tupleLiteral, items: field.items[1:]}
	}
	return dtypeOf(dtype)
}

// scalarOf returns the same for a string: a byte order, a kind, and a number of bytes, or of characters for text.
func scalarOf(name string) (width int64, objects, ok bool) {
	switch strings.TrimLeft(name, "<>|=") {
	case "O", "object", "object_":
		return 8, true, true
	}
	code, unit, has := strings.Cut(name, "[")
	d := dtype.Parse(code)
	if d == nil || has && (d.Kind != 'm' && d.Kind != 'M' || !isUnit(unit)) {
		return 0, strings.Contains(name, "O"), false
	}
	return d.Size, d.Objects, true
}

// isUnit reports whether text is the unit of a time with its closing bracket, as in "M8[25s]".
func isUnit(text string) bool {
	text, closed := strings.CutSuffix(text, "]")
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '/' {
			return false
		}
	}
	return closed && text != ""
}

// hasObject reports whether an object dtype may occur in a literal that is not a valid dtype.
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
