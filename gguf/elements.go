// The elements of arrays.

package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"github.com/weightools/safetensors/internal/wording"
)

// All yields the elements of an array of the metadata, with their indices. It reads the file. The elements are numbers,
// bools and strings of at most 4,096 bytes; longer strings have no text, and the arrays in an array no position.
func (f *File) All(key string) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		v, ok := f.Find(key)
		if !ok || v.Kind != Array {
			yield(Value{}, fmt.Errorf("gguf: there is no array with the key %s", wording.Quote(key)))
			return
		}
		p := &parser{cursor: newCursor(f.r, min(f.size, v.Span.End))}
		if p.at = v.Span.Begin; f.BigEndian {
			p.order = binary.BigEndian
		}
		for range v.Len {
			element, err := p.element(v.Elem)
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
