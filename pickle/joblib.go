// joblib's pickles: the bytes of arrays between the instructions.

package pickle

import (
	"strconv"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// joblib.dump writes an array as an object of NumpyArrayWrapper, which has the
// array's dtype and shape, and right behind the BUILD of it the array's bytes: its
// loader reads them there, and puts the array on the stack (joblib,
// numpy_pickle.py). Any other loader takes the bytes for instructions, so that
// both readings have to be judged. If elements are objects, a pickle stands there
// instead.

// rawArray passes over the bytes of an array, if c makes the wrapper of one.
func (m *judge) rawArray(c *heap.Call, state heap.Ref) {
	if m.plain || !m.isWrapper(c) || m.Failed {
		return
	}
	w := wrapperOf(m.look(m.Value(state)))
	off := m.Reader.Offset()
	if w.objects {
		if m.Inner() { // the array takes the place of the wrapper
			m.found.addf(RuleNested, Note, off, "the objects of an array begin at %d, as a pickle of their own", off)
		}
		return
	}
	if m.rawAt < 0 {
		m.rawAt = off
		m.found.addf(RuleRawArray, Note, off, "the bytes of an array begin at %d, as joblib writes them", off)
	}
	if !w.ok {
		m.fail(RuleParse, "an array begins at %d, and the size of it cannot be told", off)
		return
	}
	if w.aligned {
		b := m.Reader.Peek(1)
		if len(b) == 0 {
			m.fail(RuleTruncated, "the bytes end at %d, before those of an array", m.Reader.Size())
			return
		}
		w.bytes += 1 + int64(b[0])
	}
	if w.bytes > m.Reader.Left() {
		m.fail(RuleTruncated, "the array at %d has %d bytes, and %d are left", off, w.bytes, m.Reader.Left())
		return
	}
	m.Reader.GoTo(off + w.bytes)
}

// isWrapper is whether a call makes a NumpyArrayWrapper.
func (m *judge) isWrapper(c *heap.Call) bool {
	class := m.imported(m.Value(c.Callee))
	if class != nil && class.use == names.Reconstructor {
		class = m.imported(m.Value(c.Args).Item(0))
	}
	return class != nil && class.ResolvedName == "NumpyArrayWrapper" && class.Verdict == Safe
}

// A wrapper is what a NumpyArrayWrapper says of its array.
type wrapper struct {
	bytes   int64
	objects bool // whether the elements are objects
	aligned bool // whether a byte comes first that says how many follow before the data
	ok      bool // whether the number of bytes could be told
}

// wrapperOf reads the state of a NumpyArrayWrapper.
func wrapperOf(state heap.Value) wrapper {
	w := wrapper{bytes: 1, ok: true}
	known := false
	for key, value := range state.Pairs() {
		switch name, _ := key.Str(); name {
		case "shape":
			for item := range value.Items() {
				n, ok := item.Int()
				w.multiply(n, ok)
			}
		case "dtype":
			n, objects, ok := itemSize(value)
			w.objects, known = objects, true
			w.multiply(n, ok)
		case "numpy_array_alignment_bytes":
			w.aligned = !value.IsNone()
		}
	}
	w.ok = w.ok && known
	return w
}

// multiply makes the array n times as large, unless n is no size.
func (w *wrapper) multiply(n int64, ok bool) {
	const most = 1 << 46 // bytes: no file is larger, and no product overflows
	if !ok || n < 0 || n > most || n > 0 && w.bytes > most/n {
		w.ok = false
		return
	}
	w.bytes *= n
}

// itemSize returns the size of an element of a dtype, numpy.dtype("f8", ...) with
// its state.
func itemSize(dtype heap.Value) (size int64, objects, ok bool) {
	c, called := dtype.Called()
	code, isStr := firstStr(c, called)
	if !isStr || code == "" {
		return 0, false, false
	}
	for len(code) > 0 && (code[0] == '<' || code[0] == '>' || code[0] == '|' || code[0] == '=') {
		code = code[1:]
	}
	if code == "" || code[0] == 'O' {
		return 0, code != "", code != ""
	}
	digits := code[1:]
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' { // M8[ns]
			digits = digits[:i]
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if code[0] == 'U' {
		n *= 4
	}
	if code[0] == 'V' { // of fields, among which there may be objects
		state, _ := c.State()
		objects = hasObjects(state)
	}
	return n, objects, err == nil
}

// hasObjects is whether the state of a dtype has the flag that its elements hold
// objects: bit 0 of the last of its members, NPY_ITEM_HASOBJECT.
func hasObjects(state heap.Value) bool {
	flags, ok := state.Item(7).Int()
	return ok && flags&1 != 0
}

// firstStr returns the first argument of a call.
func firstStr(c heap.Result, called bool) (string, bool) {
	if !called {
		return "", false
	}
	return c.Args().Item(0).Str()
}
