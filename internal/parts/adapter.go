// Adapters: the two matrices that modify a module, by their names and shapes.

package parts

import "strings"

// A Matrix is one of the two matrices of an adapter for one module. The down matrix maps the inputs to as many
// channels as the rank, and the up matrix maps these to the outputs.
type Matrix struct {
	Kind   string // "LoRA", "LoHa" or "LoKr"
	Module string // the module that the two modify
	Pair   string // the same for both, and for no other matrix
	Down   bool
	In     bool // the inputs come first, as in MLX: [in, rank] and [rank, out]
}

// matrices are the words that tell the two matrices of a module apart.
//
// PEFT (src/peft/tuners/lora/layer.py at 5d602fd): lora_A [r, in], lora_B [out, r].
// kohya-ss (networks/lora.py): lora_down [r, in, ...], lora_up [out, r, ...]; diffusers has a dot instead.
// MLX (mlx_lm/tuner/lora.py): lora_a [in, r], lora_b [r, out].
// LyCORIS (lycoris/modules): hada_w1_b [r, in], hada_w1_a [out, r]; lokr_w2_b, lokr_w2_a.
var matrices = [...]struct {
	down, up, kind string
	in             bool
}{
	{"lora_A", "lora_B", "LoRA", false},
	{"lora_embedding_A", "lora_embedding_B", "LoRA", false},
	{"lora_down", "lora_up", "LoRA", false},
	{"lora.down", "lora.up", "LoRA", false},
	{"lora_a", "lora_b", "LoRA", true},
	{"hada_w1_b", "hada_w1_a", "LoHa", false},
	{"lokr_w2_b", "lokr_w2_a", "LoKr", false},
}

// IsAdapter reports whether a tensor may belong to an adapter, by its name.
func IsAdapter(name string) bool {
	return strings.Contains(name, "lora") || strings.Contains(name, "hada_") || strings.Contains(name, "lokr_")
}

// MatrixOf returns the matrix that a tensor is by its name, and whether it is one.
func MatrixOf(name string) (m Matrix, ok bool) {
	if !IsAdapter(name) {
		return Matrix{}, false
	}
	for i := range matrices {
		one := &matrices[i]
		for _, mark := range [...]string{one.down, one.up} {
			before, after, ok := strings.Cut(name, mark)
			if !ok || after != "" && after[0] != '.' {
				continue // lora_A is not part of lora_A_scale
			}
			module := strings.TrimSuffix(strings.TrimSuffix(before, "."), "_")
			return Matrix{one.kind, module, before + one.down + after, mark == one.down, one.in}, true
		}
	}
	return Matrix{}, false
}

// Rank returns the rank by the shape of the matrix, or 0 if the shape does not show it: with three dimensions, the
// first may be the number of experts.
func (m Matrix) Rank(shape []int64) int64 {
	switch {
	case len(shape) == 0 || len(shape)%2 != 0:
		return 0
	case m.Down == m.In:
		return shape[1]
	}
	return shape[0]
}
