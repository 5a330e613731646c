// The dtypes of a pickle, and the calls that create dtypes, arrays and scalars.

// Package arrays judges what pickles do with NumPy: dtypes, arrays and scalars that are not what they say.
//
// A pickle that lies about the elements of an array makes NumPy use numbers as pointers, or memory outside of the
// array. The rules follow NumPy's source: descriptor.c (arraydescr_setstate), methods.c (array_setstate),
// multiarraymodule.c (array_scalar) and arrayobject.c (array_new).
package arrays

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Maker is a function or a type that creates a dtype, an array or a scalar.
type Maker uint8

// The makers.
const (
	None       Maker = iota
	Dtype            // numpy.dtype
	Array            // _reconstruct, which is followed by a state
	Scalar           // scalar
	FromBuffer       // _frombuffer
	NDArray          // numpy.ndarray
)

// Of returns the maker of a name that is one.
func Of(name string) Maker {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "dtype":
		return Dtype
	case "_reconstruct", "_mareconstruct":
		return Array
	case "scalar":
		return Scalar
	case "_frombuffer":
		return FromBuffer
	case "ndarray":
		return NDArray
	}
	return None
}

// A Table holds the dtypes of a stream.
type Table struct {
	Encoded func(heap.Value) bool  // whether a value is how protocols below 3 store bytes
	Number  func(heap.Value) bool  // whether a value is a type of numbers, such as numpy.float64
	Maker   func(heap.Value) Maker // what a callee creates

	dtypes map[heap.Ref]*dtype.Dtype
	raws   map[heap.Ref]Content // arrays of joblib by their wrappers
}

// Reset removes all dtypes and arrays.
func (t *Table) Reset() { t.dtypes, t.raws = nil, nil }

// Memory returns the approximate number of bytes in use.
func (t *Table) Memory() int64 { return 200 * int64(len(t.dtypes)+len(t.raws)) }

// Changed reports whether the pickle adds fields to a dtype after its state was set.
func (t *Table) Changed() bool {
	for _, d := range t.dtypes {
		if d.Changed() {
			return true
		}
	}
	return false
}

// known returns the dtype that v is, or nil if NumPy would not write it.
func (t *Table) known(v heap.Value) *dtype.Dtype {
	if d := t.dtypes[v.Ref]; d != nil && !d.Faulty {
		return d
	}
	return nil
}

// Dtype returns the dtype that v is and that an array has from now on, or nil if NumPy would not write it.
func (t *Table) Dtype(v heap.Value) *dtype.Dtype {
	d := t.known(v)
	if d != nil {
		d.Used = true
	}
	return d
}

// Call checks the call that creates r, of a maker with the given label.
func (t *Table) Call(m Maker, label string, r heap.Value) dtype.Fault {
	c, _ := r.Called()
	args := c.Args()
	switch m {
	case Dtype:
		d := dtype.Of(c)
		if d == nil {
			return dtype.Odd("calls %s with %s, which NumPy does not write", label, args.Summary())
		}
		if t.dtypes == nil {
			t.dtypes = map[heap.Ref]*dtype.Dtype{}
		}
		t.dtypes[r.Ref] = d
	case Array:
		return t.prototype(label, args.Item(int(args.Len())-1))
	case Scalar:
		return t.scalar(label, args.Item(0), args.Item(1))
	case FromBuffer:
		return t.over(m, label, args.Item(1), args.Item(0))
	case NDArray:
		if buffer := args.Item(2); buffer.Kind() != heap.KindUnknown && !buffer.IsNone() {
			return t.over(m, label, args.Item(1), buffer)
		}
		if d := args.Item(1); d.Kind() != heap.KindUnknown && t.elements(d) == nil {
			return dtype.Odd("calls %s with the dtype %s", label, d.Summary())
		}
	}
	return dtype.Fault{}
}

// scalar checks a scalar: of a dtype and bytes, or an array of one element if there are objects in it.
func (t *Table) scalar(label string, elements, value heap.Value) dtype.Fault {
	d := t.Dtype(elements)
	switch {
	case d == nil:
		return dtype.Odd("calls %s with the dtype %s", label, elements.Summary())
	case d.Array || d.Objects && d.Kind != 'O' && value.Kind() != heap.KindCall:
		return dtype.Bad("makes %s take %s for an element of the dtype", label, value.Summary())
	case value.Kind() == heap.KindUnknown || value.IsNone():
		return dtype.Odd("calls %s with no value", label)
	}
	return dtype.Fault{}
}

// elements returns the dtype in an argument that also takes codes and types of numbers.
func (t *Table) elements(v heap.Value) *dtype.Dtype {
	if code, ok := v.Str(); ok {
		return dtype.Parse(code)
	}
	if t.Number(v) {
		return &dtype.Dtype{}
	}
	return t.Dtype(v)
}

// prototype checks the dtype of an array that has no state yet: NumPy writes "b".
func (t *Table) prototype(label string, v heap.Value) dtype.Fault {
	text, ok := v.Str()
	if b, isBytes := v.Bytes(); isBytes {
		text, ok = string(b), true
	}
	if (!ok || text != "b" && dtype.Parse(text) == nil) && !t.Encoded(v) && t.Dtype(v) == nil {
		return dtype.Odd("calls %s with the dtype %s", label, v.Summary())
	}
	return dtype.Fault{}
}

// over checks an array over the bytes of another object: these must be bytes in the pickle, because others can be
// freed, and the elements must not be objects.
func (t *Table) over(m Maker, label string, elements, buffer heap.Value) dtype.Fault {
	k := buffer.Kind()
	own := k == heap.KindBytes || k == heap.KindStr || t.Encoded(buffer)
	locked := m == FromBuffer && (k == heap.KindByteArray || k == heap.KindBuffer)
	d := t.elements(elements)
	switch {
	case d != nil && (d.Objects || d.Array):
		return dtype.Bad("makes %s take bytes for objects or arrays", label)
	case d == nil && m == NDArray:
		return dtype.Bad("makes %s take bytes for elements of the dtype %s", label, elements.Summary())
	case !own && !locked:
		return dtype.Bad("makes %s use the memory of %s", label, buffer.Summary())
	case d == nil:
		return dtype.Odd("calls %s with the dtype %s", label, elements.Summary())
	}
	return dtype.Fault{}
}
