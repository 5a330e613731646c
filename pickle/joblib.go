// joblib files: raw array data between instructions.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/joblib"
)

// joblib.dump writes an array as a NumpyArrayWrapper with the dtype and shape, followed directly after its BUILD by the
// data of the array. joblib's loader reads the data there and replaces the wrapper by the array (numpy_pickle.py).
// Other loaders interpret the data as instructions, so both interpretations must be checked. The elements of object
// arrays are in a nested pickle instead, whose loader takes wrappers for ordinary objects.

// rawArray skips the data of an array if c creates its wrapper.
func (m *judge) rawArray(c *heap.Call, object, state heap.Ref) {
	if m.plain || m.Failed || m.Within() > 0 || !m.isWrapper(object) {
		return
	}
	w := joblib.Of(m.look(m.Value(state)), m.arrays.Dtype)
	off := m.Reader.Offset()
	switch {
	case !w.Known || c.Built: // a second state adds to the first
		m.rawAt = max(m.rawAt, off)
		m.fail(RuleParse, "an array of unknown size starts at %d", off)
		m.End() // so that everything behind it is searched
	case m.Reader.InFrame():
		m.rawAt = max(m.rawAt, off)
		m.fail(RuleFrame, "the data of an array starts at %d, within a frame, after which joblib looks for it", off)
		m.End()
	case w.Objects && w.Mapped:
		m.corrupts("BUILD at %d lets joblib map an array of objects into memory", m.Token.Off)
		fallthrough
	case w.Objects:
		if m.Inner() { // the array replaces the wrapper
			m.found.addf(RuleNested, Note, off, "a pickle with the elements of an array starts at %d", off)
		}
	default:
		m.skipArray(w, object, off)
	}
}

// skipArray skips the data of the array that replaces an object.
func (m *judge) skipArray(w joblib.Array, object heap.Ref, off int64) {
	if m.rawAt < 0 {
		m.rawAt = off
		m.found.addf(RuleRawArray, Note, off, "the data of a joblib array starts at %d", off)
	}
	data := w.Bytes
	if w.Aligned {
		b := m.Reader.Peek(1)
		if len(b) == 0 {
			m.fail(RuleTruncated, "the data ends at %d, before the data of an array", m.Reader.Size())
			return
		}
		w.Bytes += 1 + int64(b[0])
	}
	if w.Bytes > m.Reader.Left() {
		m.fail(RuleTruncated, "the array at %d needs %d bytes, but %d are left", off, w.Bytes, m.Reader.Left())
		return
	}
	end := off + w.Bytes
	m.arrays.Raw(object, w.Dtype, w.Shape, m.Reader.Source(), end-data)
	m.Reader.GoTo(end)
}

// isWrapper reports whether an object is a NumpyArrayWrapper.
func (m *judge) isWrapper(object heap.Ref) bool {
	c, _ := m.Value(object).Called()
	class, _ := m.classOf(c)
	return class != nil && class.ResolvedName == "NumpyArrayWrapper" && class.Verdict == Safe
}
