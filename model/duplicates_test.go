// Duplicates: parameters that are stored twice.

package model_test

import (
	"testing"

	"github.com/weightools/safetensors"

	"github.com/weightools/safetensors/model"
)

func TestDuplicates(t *testing.T) {
	tied := func(config string, head int64) *Fixture {
		d := new(Draft)
		d.Add("model.embed_tokens.weight", "BF16", 100, 8)
		d.Add("model.norm.weight", "BF16", 8)
		d.Add("lm_head.weight", "BF16", head, 8)
		return &Fixture{Shards: []*Draft{d}, Config: config}
	}
	shards := func(second int64) *Fixture {
		a, b := new(Draft), new(Draft)
		a.Add("x.weight", "BF16", 10)
		b.Add("x.weight", "BF16", second)
		b.Add("y.weight", "BF16", 3)
		return &Fixture{Shards: []*Draft{a, b}}
	}
	for _, tt := range []struct {
		name           string
		fixture        *Fixture
		params, unique int64
	}{
		{"tied", tied(`{"tie_word_embeddings":true}`, 100), 1608, 808},
		{"tied, in text_config", tied(`{"text_config":{"tie_word_embeddings":true}}`, 100), 1608, 808},
		{"not tied", tied(`{"tie_word_embeddings":false}`, 100), 1608, 1608},
		{"nothing is said", tied("", 100), 1608, 1608},
		{"said to be tied, and of another size", tied(`{"tie_word_embeddings":true}`, 101), 1616, 1616},
		{"in two files", shards(10), 23, 13},
		{"of one name, and another shape", shards(9), 22, 22},
	} {
		n := model.Count(tt.fixture.Model())
		if n.Params.High != tt.params || n.Unique.High != tt.unique {
			t.Errorf("%s: %d parameters, %d of them unique, want %d and %d", tt.name, n.Params.High, n.Unique.High, tt.params, tt.unique)
		}
		if (len(n.Duplicates) > 0) != (tt.params != tt.unique) {
			t.Errorf("%s: twins %v", tt.name, n.Duplicates)
		}
	}
}

// A packed weight beside the weight that it was made from is the same parameters.
func TestPackedBesideItsWeight(t *testing.T) {
	f := small(t, "awq, no configuration")
	f.Shards[0].Add("model.layers.0.mlp.up_proj.weight", "F16", 64, 128)
	n := model.Count(f.Model())
	if n.Params.High != 2*64*128+norm || n.Unique.High != 64*128+norm {
		t.Errorf("%+v, of them %+v unique", n.Params, n.Unique)
	}
}

// A packed weight in two shards is one weight, each time.
func TestPackedTwice(t *testing.T) {
	f := small(t, "awq, no configuration")
	f.Shards = append(f.Shards, small(t, "awq, no configuration").Shards...)
	n := model.Count(f.Model())
	if n.Params.High != 2*(64*128+norm) || n.Unique.High != 64*128+norm {
		t.Errorf("%+v, of them %+v unique", n.Params, n.Unique)
	}
}

// Two Dense modules of sentence-transformers have a tensor of one name and shape.
func TestModulesHaveNamesOfTheirOwn(t *testing.T) {
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "linear.weight", Dtype: "F32", Shape: []int64{4, 8}}}}
	m := &model.Model{Files: []model.File{{Header: h}, {Header: h, Module: "2_Dense"}, {Header: h, Module: "3_Dense"},
		{Header: h, Module: "3_Dense"}}}
	if n := model.Count(m); n.Params.High != 4*32 || n.Unique.High != 3*32 || len(n.Duplicates) != 1 {
		t.Errorf("%+v, %+v unique, %v", n.Params, n.Unique, n.Duplicates)
	}
}
