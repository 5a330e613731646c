// Types and sizes of arguments.

// Package arguments says which arguments fit the signature of an allowed name, and which make it create too much.
package arguments

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// Fits reports whether an argument matches a letter of a signature.
func Fits(letter byte, arg heap.Value, look heap.Look) bool {
	k := arg.Kind()
	switch letter {
	case 'S':
		return k == heap.KindPersistent || k == heap.KindCall
	case 'T':
		return k == heap.KindCall
	case 'i':
		return k == heap.KindInt
	case 'b':
		return k == heap.KindBool
	case 't':
		return k == heap.KindStr
	case 'D', 'g':
		return k == heap.KindGlobal
	case 'I':
		return areInts(arg, look)
	}
	return true
}

// areInts reports whether v is a tuple or list of ints, or a torch.Size.
func areInts(v heap.Value, look heap.Look) bool {
	if c, ok := v.Called(); ok {
		module, name, _ := c.Callee().Global()
		return names.Join(module, name) == "torch.Size"
	}
	for item := range look(v).Items() {
		if item.Kind() != heap.KindInt {
			return false
		}
	}
	return v.Kind() == heap.KindTuple || v.Kind() == heap.KindList
}

// Encodings are those that Python's pickler uses for bytes in old protocols, and their aliases.
var Encodings = map[string]bool{"latin1": true, "latin-1": true, "iso-8859-1": true, "utf-8": true, "ascii": true}

// maxSize is the maximum number of bytes or items that an allowed name may create from a number in the pickle.
const maxSize = 1 << 28

// IsLarge reports whether an argument is an int that is too large for a size.
func IsLarge(arg heap.Value) bool {
	n, ok := arg.Int()
	return arg.Kind() == heap.KindInt && (!ok || n > maxSize)
}

// IsFar reports whether an argument is an int that is too large for the end of a range, in either direction.
func IsFar(arg heap.Value) bool {
	n, ok := arg.Int()
	return arg.Kind() == heap.KindInt && (!ok || n > maxSize || n < -maxSize)
}

// IsLargeShape reports whether an array of the given shape has too many elements.
func IsLargeShape(shape heap.Value, look heap.Look) bool {
	total := int64(1)
	for item := range look(shape).Items() {
		n, ok := item.Int()
		if !ok || n > maxSize || total > maxSize {
			return true
		}
		total *= max(n, 1)
	}
	return false
}
