// Rules: each has a sentence and a source, and something to be counted by it.

package quant_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/quant"
	"github.com/weightools/safetensors/quant/internal/models"
)

func TestRulesAreWhole(t *testing.T) {
	used := make(map[quant.Rule]bool)
	for _, c := range models.Small() {
		for _, v := range quant.Judge(c.Make().Model()) {
			used[v.Rule] = true
		}
	}
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "x", Dtype: "F32"}}}
	for _, v := range quant.Judge(&quant.Model{Files: []quant.File{{Header: h}}}) {
		used[v.Rule] = true // its shape could not be read
	}
	all := slices.Collect(quant.Rules())
	for i, r := range all {
		if slices.Contains(all[:i], r) {
			t.Errorf("%s is there twice", r)
		}
		if !strings.HasSuffix(r.Text(), ".") || r.Source() == "" {
			t.Errorf("%s: %q from %q", r, r.Text(), r.Source())
		}
		if !used[r] {
			t.Errorf("nothing is counted by %s", r)
		}
	}
	if r := quant.Rule("none"); r.Text() != "" || r.Source() != "" {
		t.Errorf("a rule that is none says %q", r.Text())
	}
}
