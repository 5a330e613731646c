// NumPy arrays: a header that is a Python literal, and numbers or a pickle after it.

package scan

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/pickle"
)

// npyMagic is what a .npy file begins with; two bytes of version follow. The format is
// that of NumPy's enhancement proposal 1.
const npyMagic = "\x93NUMPY"

// npy looks at a NumPy array. Whether it is a pickle depends on its dtype alone.
func (p *part) npy(head []byte) error {
	p.is("npy")
	if len(head) < len(npyMagic)+4 {
		p.unscanned(0, "the header of the array is cut off")
		return nil
	}
	begin, length := int64(10), int64(binary.LittleEndian.Uint16(head[8:]))
	if head[6] > 1 {
		begin, length = 12, 0
		if len(head) >= 12 {
			length = int64(binary.LittleEndian.Uint32(head[8:]))
		}
	}
	if v := head[6]; v < 1 || v > 3 || head[7] != 0 {
		p.find(RuleBadHeader, 6, "the array is of version %d.%d of its format, which does not exist", head[6], head[7])
	}
	data := begin + length
	const most = 1 << 20 // bytes of a header; NumPy reads 10,000 unless it is told to trust it
	if data > p.size || length > most {
		p.find(RuleBadHeader, begin, "the header of the array is said to take %s", bytesOf(length))
		return p.npyUnknown(begin)
	}
	text := make([]byte, length)
	if n, err := p.file.ReadAt(text, begin); n < len(text) {
		return err
	}
	header, err := parseLiteral(text)
	if err != nil {
		p.find(RuleBadHeader, begin, "the header of the array is no literal: %v", err)
		return p.npyUnknown(data)
	}
	return p.npyData(header, data)
}

// npyData looks at what follows the header.
func (p *part) npyData(header literal, data int64) error {
	descr, shape := header.get("descr"), header.get("shape")
	width, objects, ok := dtypeOf(descr, 0)
	if objects {
		p.find(RuleNumPyObject, data, "the array has objects in it: numpy.load unpickles them if it is told to, and did so by default before 1.16.3")
		sub := p.section("pickle", extent.Span{Begin: data, End: p.size})
		sub.loaded = true
		p.explain(0, p.size)
		return p.inside(sub)
	}
	size, known := elementsOf(shape)
	if known && ok {
		high, low := bits.Mul64(uint64(size), uint64(width))
		known = high == 0 && low < math.MaxInt64
		size = int64(low)
	}
	switch {
	case !ok || !known:
		p.find(RuleBadHeader, 0, "the header of the array has no dtype or no shape that NumPy knows")
		return p.npyUnknown(data)
	case size > p.size-data:
		p.find(pickle.RuleTruncated, data, "the array takes %s, and %d are there", bytesOf(size), p.size-data)
		p.explain(0, p.size)
		return nil
	}
	p.explain(0, data+size)
	return p.behind(data+size, "the array")
}

// npyUnknown searches an array of which it is not known what is in it.
func (p *part) npyUnknown(from int64) error {
	p.explain(0, p.size)
	if from >= p.size {
		return nil
	}
	return p.sweep(extent.Span{Begin: from, End: p.size})
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
