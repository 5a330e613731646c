// Examples: a count, and what counted it.

package model_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/model"
)

func ExampleRead() {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, "../testdata/sample", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer cp.Close()
	m, err := model.Read(ctx, cp, false)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	counts, facts := model.Count(m), model.FactsOf(m)
	fmt.Println(counts.Params.High, "parameters, layers:", facts.Layers.Value)
	// Output:
	// 148608 parameters, layers: 1
}

func ExampleCount() {
	// A matrix of 4096 × 4096, packed by AWQ: eight values of 4 bits to a word.
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{
		{Name: "model.layers.0.mlp.up_proj.qweight", Dtype: safetensors.I32, Shape: []int64{4096, 512}},
		{Name: "model.layers.0.mlp.up_proj.qzeros", Dtype: safetensors.I32, Shape: []int64{32, 512}},
		{Name: "model.layers.0.mlp.up_proj.scales", Dtype: safetensors.F16, Shape: []int64{32, 4096}},
	}}
	n := model.Count(&model.Model{Files: []model.File{{Header: h}}})
	fmt.Println(n.Scheme, n.Params.Exact(), n.Params.High, "of", n.Stored, "elements")
	for _, g := range n.Groups {
		fmt.Println(g.Rule, g.Dtype, g.Params.High)
	}
	// Output:
	// awq 4-bit true 16777216 of 2244608 elements
	// bookkeeping F16 0
	// bookkeeping I32 0
	// int-words I32 16777216
}
