// The digest of a set of tensors.

package digest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/weightools/safetensors"
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
	for i, d := range ti.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(d), 10) // dimensions are unsigned: see safetensors.TensorInfo
	}
	b = append(b, "] "...)
	return append(appendString(b, ti.Name), '\n')
}

// appendString appends a name as a JSON string. It uses short escapes, and \u00xx for other control
// characters.
func appendString(b []byte, s string) []byte {
	const short = "btn\x00fr" // \b to \r, without \v
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= '\b' && c <= '\r' && c != '\v':
			b = append(b, '\\', short[c-'\b'])
		case c < 0x20:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
