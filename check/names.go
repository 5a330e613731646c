// Names of tensors, split once for all rules.

package check

import (
	"strings"

	"github.com/weightools/safetensors/internal/parts"
)

// A name is a tensor's name in parts. They are substrings, so half a million of them cost little.
type name struct {
	module string // before the last dot: "model.layers.3.mlp.up_proj"
	leaf   string // after it: "weight"

	// For a tensor of a layer: what precedes the first number, the number, and what follows it:
	// "model.layers", 3, "mlp.up_proj.weight". For other tensors, layer is -1.
	stack string
	layer int32
	rest  string
}

// maxLayer bounds the numbers of layers and experts, since a name may have any.
const maxLayer = 1 << 16

// parse splits a name.
func parse(full string) name {
	n := name{leaf: full, layer: -1}
	if dot := strings.LastIndexByte(full, '.'); dot >= 0 {
		n.module, n.leaf = full[:dot], full[dot+1:]
	}
	if stack, number, rest := parts.Layer(full); number >= 0 && number < maxLayer && stack != "" && rest != "" {
		n.stack, n.layer, n.rest = stack, int32(number), rest
	}
	return n
}
