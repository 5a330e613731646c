// The elements of arrays.

package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
)

// Elements yields the elements of an array in the order of the file. It reads the file. Elements are numbers, bools,
// strings and arrays; strings of more than 4,096 bytes are not in memory.
func (f *File) Elements(array Value) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		if array.Kind != Array {
			yield(Value{}, fmt.Errorf("gguf: a %v has no elements", array.Kind))
			return
		}
		p := &parser{cursor: newCursor(f.r, min(f.size, array.Span.End))}
		if f.Version == 1 {
			p.length = 4
		}
		if p.at = array.Span.Begin; f.BigEndian {
			p.order = binary.BigEndian
		}
		for range array.Len {
			p.room = mostShort
			element, err := p.element(array.Elem)
			if err == errEnd || err == errStop {
				err = fmt.Errorf("gguf: the file has changed since it was opened: %w", io.ErrUnexpectedEOF)
			}
			if !yield(element, err) || err != nil {
				return
			}
		}
	}
}

// element reads an element of an array.
func (p *parser) element(kind Kind) (Value, error) {
	switch kind {
	case String:
		return p.text("")
	case Array:
		return p.array("")
	}
	bits, err := p.uint(kind.size())
	return number(kind, bits), err
}
