// NumPy arrays and dtypes: what NumPy believes of a pickle without checking it.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A pickle that lies about the elements of an array makes NumPy use numbers as pointers, or memory outside of the
// array. The rules are those of NumPy's own source: descriptor.c (arraydescr_setstate), methods.c (array_setstate),
// multiarraymodule.c (array_scalar) and arrayobject.c (array_new).

// A maker is a function or a type that creates a dtype, an array or a scalar.
type maker uint8

const (
	makesNothing    maker = iota
	makesDtype            // numpy.dtype
	makesArray            // _reconstruct, which is followed by a state
	makesScalar           // scalar
	makesFromBuffer       // _frombuffer
	makesNDArray          // numpy.ndarray
)

// makes returns what an allowed name creates.
func (g *global) makes() maker {
	if g.use != names.Array {
		return makesNothing
	}
	switch g.full[strings.LastIndexByte(g.full, '.')+1:] {
	case "dtype":
		return makesDtype
	case "_reconstruct", "_mareconstruct":
		return makesArray
	case "scalar":
		return makesScalar
	case "_frombuffer":
		return makesFromBuffer
	case "ndarray":
		return makesNDArray
	}
	return makesNothing
}

// arrayClasses are classes of arrays that pickles only name: called, they make arrays of any elements over a buffer, or
// open a file, which numpy.memmap also creates and overwrites.
var arrayClasses = map[string]bool{
	"numpy.memmap": true, "numpy.recarray": true, "numpy.rec.recarray": true, "numpy.core.records.recarray": true,
	"numpy.chararray": true, "numpy.char.chararray": true, "numpy.core.defchararray.chararray": true,
}

// corrupts reports something that lets NumPy leave the data.
func (m *judge) corrupts(format string, args ...any) { m.danger(RuleMemory, format, args...) }

// known returns the dtype that v is, or nil if NumPy would not write it.
func (m *judge) known(v heap.Value) *dtype.Dtype {
	if d := m.dtypes[v.Ref]; d != nil && !d.Faulty {
		return d
	}
	return nil
}

// dtypeOf is like known, for a value that an array has from now on.
func (m *judge) dtypeOf(v heap.Value) *dtype.Dtype {
	d := m.known(v)
	if d != nil {
		d.Used = true
	}
	return d
}

// callNumPy checks a call that creates the value r.
func (m *judge) callNumPy(g *global, r heap.Ref, args heap.Value) {
	switch g.makes() {
	case makesDtype:
		m.newDtype(g, r)
	case makesArray:
		m.checkPrototype(g, args)
	case makesScalar:
		m.checkScalar(g, args)
	case makesFromBuffer:
		m.checkBuffer(g, args.Item(1), args.Item(0))
	case makesNDArray:
		if buffer := args.Item(2); buffer.Kind() != heap.KindUnknown && !buffer.IsNone() {
			m.checkBuffer(g, args.Item(1), buffer)
		} else if d := args.Item(1); d.Kind() != heap.KindUnknown && m.elements(d) == nil {
			m.wrong(RuleCallArgs, g, "the dtype "+m.summary(d.Ref))
		}
	}
}

// checkScalar checks a scalar: of a dtype and bytes, or an array of one element if there are objects in it.
func (m *judge) checkScalar(g *global, args heap.Value) {
	d, value := m.dtypeOf(args.Item(0)), args.Item(1)
	switch {
	case d == nil:
		m.wrong(RuleCallArgs, g, "the dtype "+m.summary(args.Item(0).Ref))
	case d.Array || d.Objects && d.Kind != 'O' && value.Kind() != heap.KindCall:
		m.corrupts("%s at %d makes %s take %s for an element of the dtype", m.Token.Code, m.Token.Off, g.Label(),
			m.summary(value.Ref))
	case value.Kind() == heap.KindUnknown || value.IsNone():
		m.wrong(RuleCallArgs, g, "no value")
	}
}

// newDtype records a dtype.
func (m *judge) newDtype(g *global, r heap.Ref) {
	c, _ := m.Value(r).Called()
	d := dtype.Of(c)
	if d == nil {
		m.wrong(RuleCallArgs, g, m.summary(c.Args().Ref)+", which NumPy does not write")
		return
	}
	if m.dtypes == nil {
		m.dtypes = map[heap.Ref]*dtype.Dtype{}
	}
	const size = 200 // approximate bytes of a dtype and its entry
	m.found.bytes += size
	m.dtypes[r] = d
}

// elements returns the dtype in an argument that also takes codes and types of numbers.
func (m *judge) elements(v heap.Value) *dtype.Dtype {
	if code, ok := v.Str(); ok {
		return dtype.Parse(code)
	}
	if f := m.imported(v); f != nil && f.use == names.Plain && f.Verdict == Safe && f.ResolvedModule == "numpy" {
		return &dtype.Dtype{}
	}
	return m.dtypeOf(v)
}

// checkPrototype checks the dtype of an array that has no state yet: NumPy writes "b".
func (m *judge) checkPrototype(g *global, args heap.Value) {
	i := int(args.Len()) - 1
	v := args.Item(i)
	text, ok := v.Str()
	if b, isBytes := v.Bytes(); isBytes {
		text, ok = string(b), true
	}
	if (!ok || text != "b" && dtype.Parse(text) == nil) && !m.isEncodedBytes(v) && m.dtypeOf(v) == nil {
		m.wrong(RuleCallArgs, g, "the dtype "+m.summary(v.Ref))
	}
}

// checkBuffer checks an array over the bytes of another object: these must be bytes in the pickle, because others can
// be freed, and the elements must not be objects.
func (m *judge) checkBuffer(g *global, elements, buffer heap.Value) {
	d := m.elements(elements)
	switch {
	case d != nil && d.Objects:
		m.corrupts("%s at %d makes %s take bytes for objects", m.Token.Code, m.Token.Off, g.Label())
	case d == nil && g.makes() == makesNDArray:
		m.corrupts("%s at %d makes %s take bytes for elements of the dtype %s", m.Token.Code, m.Token.Off, g.Label(),
			m.summary(elements.Ref))
	case d == nil:
		m.wrong(RuleCallArgs, g, "the dtype "+m.summary(elements.Ref))
	}
	switch k := buffer.Kind(); {
	case k == heap.KindBytes || k == heap.KindStr || m.isEncodedBytes(buffer):
	case (k == heap.KindByteArray || k == heap.KindBuffer) && g.makes() == makesFromBuffer: // which keeps it locked
	default:
		m.corrupts("%s at %d makes %s use the memory of %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(buffer.Ref))
	}
}

// costField is the cost of checking a field of a dtype, in cheap instructions.
const costField = 10

// buildNumPy checks the state of the result of a call. again reports that it has a state already.
func (m *judge) buildNumPy(g *global, object heap.Ref, state heap.Value, again bool) {
	switch g.makes() {
	case makesDtype:
		d := m.dtypes[object]
		if d == nil {
			m.buildUnknown(object)
			return
		}
		m.Work += costField * (state.Item(3).Len() + state.Item(4).Len())
		if f := d.Build(state, m.known); f.Memory {
			m.corrupts("BUILD at %d changes %s", m.Token.Off, f.Text)
		} else if f.Text != "" {
			m.warn(RuleBuildState, m.Token.Off, "BUILD at %d changes %s", m.Token.Off, f.Text)
		}
	case makesArray:
		if again {
			m.corrupts("BUILD at %d replaces the memory of an array", m.Token.Off)
			return
		}
		m.checkArray(state)
	case makesScalar:
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets the state of a scalar, which has none", m.Token.Off)
	case makesFromBuffer, makesNDArray:
		m.corrupts("BUILD at %d replaces the memory of an array", m.Token.Off)
	}
}

// buildUnknown reports a state of a dtype that NumPy does not write. The dtypes of classes that other packages define
// are as unknown as the classes.
func (m *judge) buildUnknown(object heap.Ref) {
	c, _ := m.Value(object).Called()
	if m.imported(c.Args().Item(0)) != nil {
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d changes the dtype of a class that is not known", m.Token.Off)
		return
	}
	m.corrupts("BUILD at %d changes a dtype that NumPy does not write", m.Token.Off)
}

// checkArray checks the state of an array: a version, the shape, the dtype, the order, and the data. NumPy compares the
// size of bytes with the shape, but not the length of a list of objects.
func (m *judge) checkArray(state heap.Value) {
	if version, ok := state.Item(0).Int(); !ok || version != 1 || state.Len() < 5 {
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets a state of an array that NumPy does not write", m.Token.Off)
		return
	}
	d := m.dtypeOf(state.Item(2))
	if d == nil {
		m.warn(RuleBuildState, m.Token.Off, "BUILD at %d sets the dtype of an array to %s", m.Token.Off,
			m.summary(state.Item(2).Ref))
		return
	}
	if !d.Objects {
		return
	}
	count, list := int64(1), state.Item(4)
	for item := range m.look(state.Item(1)).Items() {
		n, ok := item.Int()
		if !ok || n < 0 || n > maxSize || count > maxSize {
			count = -1
			break
		}
		count *= n
	}
	if count < 0 || state.Item(1).Kind() != heap.KindTuple || list.Kind() != heap.KindList || list.Len() < count {
		m.corrupts("BUILD at %d fills an array of objects of shape %s from %s, which is too short", m.Token.Off,
			m.summary(state.Item(1).Ref), m.summary(list.Ref))
	}
}

// changedDtypes reports dtypes with fields that were added after the state was set.
func (m *judge) changedDtypes() {
	for _, d := range m.dtypes {
		if d.Changed() {
			m.corrupts("the pickle adds fields to a dtype after its state was set")
			return
		}
	}
}
