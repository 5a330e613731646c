// The digest of a set of tensors.

package digest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// Set returns the digest of a set of tensors, as the package comment defines it. The sums are the
// digests of the tensors. Duplicate names are an error.
func (h *Hasher) Set(list []*safetensors.Tensor, sums [][]byte) ([]byte, error) {
	lines := make([][]byte, len(list))
	seen := make(map[string]bool, len(list))
	for i, t := range list {
		if seen[t.Name] {
			return nil, fmt.Errorf("digest: two tensors are called %.200q; rename or remove one of them", t.Name)
		}
		seen[t.Name] = true
		lines[i] = AppendLine(nil, &t.TensorInfo, sums[i])
	}
	slices.SortFunc(lines, bytes.Compare)
	sum := h.new()
	for _, line := range lines {
		sum.Write(line)
	}
	return sum.Sum(nil), nil
}

// AppendLine appends the line of a tensor in its set to b.
func AppendLine(b []byte, ti *safetensors.TensorInfo, sum []byte) []byte {
	b = fmt.Appendf(b, "%x %s [", sum, string(ti.Dtype))
	b = header.AppendDims(b, ti.Shape, ",")
	b = append(b, "] "...)
	return append(jsonscan.AppendString(b, ti.Name), '\n')
}
