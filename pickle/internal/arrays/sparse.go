// Sparse and nested tensors of arrays, which PyTorch checks only in its own checkpoints.

package arrays

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// Unchecked reports whether a call creates a sparse or nested tensor whose parts are NumPy arrays in the pickle.
// Unpickling does not compare the positions in them with the shape. PyTorch writes storages instead, which a plain
// unpickler does not load.
func Unchecked(function string, args heap.Value) bool {
	switch function {
	case "torch._utils._rebuild_sparse_tensor", "torch._utils._rebuild_sparse_csr_tensor",
		"torch._utils._rebuild_nested_tensor":
	default:
		return false
	}
	for v := range args.Items() {
		if fromArray(v) {
			return true
		}
		for part := range v.Items() {
			if fromArray(part) {
				return true
			}
		}
	}
	return false
}

// fromArray reports whether a value is a tensor of a NumPy array.
func fromArray(v heap.Value) bool {
	c, _ := v.Called()
	_, name, _ := c.Callee().Global()
	return strings.HasSuffix(name, "_from_numpy") || strings.HasSuffix(name, "_rebuild_xla_tensor")
}
