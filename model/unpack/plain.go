// Packed weights among other tensors.

package unpack

import (
	"strings"

	"github.com/weightools/safetensors"
)

// Plain returns tensors with the values of packed weights in place of their parts. A weight that keep reports, and one
// that stays packed, keeps its parts; left has the errors of the latter. Keep may be nil.
func (ws *Weights) Plain(tensors []*safetensors.Tensor, keep func(*Weight) bool) (list []*safetensors.Tensor, left []error) {
	if len(ws.All) == 0 {
		return tensors, nil
	}
	stays := make(map[*Weight]bool)
	for _, w := range ws.All {
		if keep != nil && keep(w) {
			stays[w] = true
		} else if _, err := w.Tensor(); err != nil {
			stays[w] = true
			left = append(left, err)
		}
	}
	for _, t := range tensors {
		switch w := ws.Of(t.Name); {
		case w == nil || stays[w]:
			list = append(list, t)
		case t.Name == w.Parts[0].Name:
			values, _ := w.Tensor()
			list = append(list, values)
		}
	}
	return list, left
}

// holders are the last words of tensors that have the values of a packed weight "x.weight".
var holders = []string{"qweight", "weight_packed", "W_q", "weight._data", "weight._data._data", "weight_qdata", "_weight_qdata"}

// Holders returns the names that the tensor with the values of a packed weight of the given name may have, if it is not
// that name.
func Holders(name string) (names []string) {
	if module, ok := strings.CutSuffix(name, "weight"); ok && (module == "" || strings.HasSuffix(module, ".")) {
		for _, leaf := range holders {
			names = append(names, module+leaf)
		}
	}
	return append(names, name+"_blocks", name+"_packed")
}
