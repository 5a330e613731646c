// Drafts: headers that are made for tests.

// Package models has headers of models, published and made up, and the numbers that
// they have to come to. It is for tests.
package model_test

import (
	"encoding/json"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// A Draft is a header that is being made. Tensors follow one another, so that it is
// that of a valid file.
type Draft struct {
	Header safetensors.Header
	end    int64
}

// Add adds a tensor.
func (d *Draft) Add(name string, dtype safetensors.Dtype, shape ...int64) {
	if shape == nil {
		shape = []int64{}
	}
	ti := safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: shape}
	size, ok := dtype.Size(ti.NumElems())
	if !ok {
		panic(fmt.Sprint(name, dtype, shape))
	}
	ti.Offsets = safetensors.Span{Begin: d.end, End: d.end + size}
	d.Header.Tensors = append(d.Header.Tensors, ti)
	d.end += size
}

// A Fixture is a model as it is published: headers and configurations.
type Fixture struct {
	Shards           []*Draft
	Config, ModelOpt string
	Description      string // quant_model_description.json
}

// Model returns the fixture as what is counted: headers alone.
func (f *Fixture) Model() *model.Model {
	m := &model.Model{Config: []byte(f.Config), ModelOpt: []byte(f.ModelOpt), Description: []byte(f.Description)}
	for _, d := range f.Shards {
		m.Files = append(m.Files, model.File{Header: &d.Header})
	}
	return m
}

// Files returns the files of the fixture as they begin, by name: headers without
// data, the index if there are several, and config.json.
func (f *Fixture) Files() (map[string][]byte, error) {
	files := make(map[string][]byte)
	if f.Config != "" {
		files["config.json"] = []byte(f.Config)
	}
	if f.Description != "" {
		files["quant_model_description.json"] = []byte(f.Description)
	}
	index := make(map[string]string)
	for i, d := range f.Shards {
		name := "model.safetensors"
		if len(f.Shards) > 1 {
			name = fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(f.Shards))
		}
		b, err := d.Header.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		files[name] = b
		for i := range d.Header.Tensors {
			index[d.Header.Tensors[i].Name] = name
		}
	}
	if len(f.Shards) > 1 {
		b, err := json.Marshal(map[string]any{"metadata": map[string]any{}, "weight_map": index})
		if err != nil {
			return nil, err
		}
		files["model.safetensors.index.json"] = b
	}
	return files, nil
}

// single returns a model of one file.
func single(config string, fill func(d *Draft)) *Fixture {
	d := new(Draft)
	fill(d)
	return &Fixture{Shards: []*Draft{d}, Config: config}
}

// linear adds a matrix and, if it has one, its bias.
func (d *Draft) linear(name string, dtype safetensors.Dtype, out, in int64, bias bool) {
	d.Add(name+".weight", dtype, out, in)
	if bias {
		d.Add(name+".bias", dtype, out)
	}
}

// norm adds a scale for each channel, and an offset for each.
func (d *Draft) norm(name string, dtype safetensors.Dtype, n int64) {
	d.Add(name+".weight", dtype, n)
	d.Add(name+".bias", dtype, n)
}
