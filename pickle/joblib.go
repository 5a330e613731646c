// joblib's pickles: the bytes of arrays between the instructions.

package pickle

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/joblib"
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
	w := joblib.Of(m.look(m.Value(state)))
	off := m.Reader.Offset()
	if w.Objects {
		if m.Inner() { // the array takes the place of the wrapper
			m.found.addf(RuleNested, Note, off, "the objects of an array begin at %d, as a pickle of their own", off)
		}
		return
	}
	if m.rawAt < 0 {
		m.rawAt = off
		m.found.addf(RuleRawArray, Note, off, "the bytes of an array begin at %d, as joblib writes them", off)
	}
	if !w.Known {
		m.fail(RuleParse, "an array begins at %d, and the size of it cannot be told", off)
		return
	}
	if w.Aligned {
		b := m.Reader.Peek(1)
		if len(b) == 0 {
			m.fail(RuleTruncated, "the bytes end at %d, before those of an array", m.Reader.Size())
			return
		}
		w.Bytes += 1 + int64(b[0])
	}
	if w.Bytes > m.Reader.Left() {
		m.fail(RuleTruncated, "the array at %d has %d bytes, and %d are left", off, w.Bytes, m.Reader.Left())
		return
	}
	m.Reader.GoTo(off + w.Bytes)
}

// isWrapper is whether a call makes a NumpyArrayWrapper.
func (m *judge) isWrapper(c *heap.Call) bool {
	class := m.imported(m.Value(c.Callee))
	if class != nil && class.use == names.Reconstructor {
		class = m.imported(m.Value(c.Args).Item(0))
	}
	return class != nil && class.ResolvedName == "NumpyArrayWrapper" && class.Verdict == Safe
}
