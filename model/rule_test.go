// Rules: each has a sentence and a source, and something to be counted by it.

package model_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

func TestRulesAreWhole(t *testing.T) {
	used := make(map[model.Rule]bool)
	for _, c := range packedModels() {
		for _, v := range model.Judge(c.Make().Model()) {
			used[v.Rule] = true
		}
	}
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "x", Dtype: "F32"}}}
	for _, v := range model.Judge(&model.Model{Files: []model.File{{Header: h}}}) {
		used[v.Rule] = true // its shape could not be read
	}
	h = &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "x", Dtype: "Q4_K", Shape: []int64{256}}}}
	for _, v := range model.Judge(&model.Model{Files: []model.File{{Header: h}}}) {
		used[v.Rule] = true // a type of another format
	}
	all := slices.Collect(model.Rules())
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
	if r := model.Rule("none"); r.Text() != "" || r.Source() != "" {
		t.Errorf("a rule that is none says %q", r.Text())
	}
}
