// Sparse and nested tensors, which PyTorch checks only in its own checkpoints.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// checkIndices reports a sparse or nested tensor whose parts are NumPy arrays in the pickle. PyTorch writes storages,
// which a plain unpickler does not load.
func (m *judge) checkIndices(g *global, args heap.Value) {
	if !arrays.Indexed(g.full) {
		return
	}
	for v := range args.Items() {
		found := m.fromArray(v)
		for part := range v.Items() {
			found = found || m.fromArray(part)
		}
		if found {
			m.warn(RuleCallArgs, m.Token.Off, "%s at %d calls %s with arrays of positions, which nothing checks",
				m.Token.Code, m.Token.Off, g.Label())
			return
		}
	}
}

// fromArray reports whether a value is a tensor of a NumPy array.
func (m *judge) fromArray(v heap.Value) bool {
	c, ok := v.Called()
	if !ok {
		return false
	}
	f := m.imported(c.Callee())
	return f != nil && (strings.HasSuffix(f.full, "_from_numpy") || strings.HasSuffix(f.full, "_rebuild_xla_tensor"))
}
