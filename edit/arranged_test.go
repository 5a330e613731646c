// Tensors that are made of others, in the files of a checkpoint.

package edit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/edit/remap"
)

// A map there and back restores files in canonical order byte for byte, in place as well.
func TestRemapThereAndBack(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "model.safetensors")
	var tensors []*safetensors.Tensor
	for _, name := range []string{"down", "gate", "norm", "up"} {
		x, err := safetensors.NewTensor(name, []float32{1, 2, 3, float32(len(name)), 5, 6}, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, x)
	}
	if err := (&safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}).WriteFile(file, tensors...); err != nil {
		t.Fatal(err)
	}
	was, _ := os.ReadFile(file)
	m, err := remap.Parse("m", []byte("gate + up => gate_up : fuse\ndown => a.down : transpose\n"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.Reverse()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []*remap.Map{m, back} {
		r, err := (&edit.Edit{Arrange: edit.Remap(m, nil)}).InPlace(context.Background(), file)
		if err != nil {
			t.Fatal(err)
		}
		if row := r.Tensors[1]; i == 0 && (row.Payload != edit.Arranged || row.Now.Name != "gate_up" || len(row.From) != 2) {
			t.Errorf("%+v", row)
		}
	}
	if now, _ := os.ReadFile(file); !bytes.Equal(now, was) {
		t.Errorf("%q, want %q", now, was)
	}
}

// Arrange may make tensors, drop them, and set metadata; it may not use tensors of others, or a name twice.
func TestArrange(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.safetensors")
	x, err := safetensors.NewTensor("x", []float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(file, x, x.Rename("y")); err != nil {
		t.Fatal(err)
	}
	alpha, err := safetensors.NewTensor("alpha", []float32{8})
	if err != nil {
		t.Fatal(err)
	}
	arranged := func(make func(in *edit.Input) []arrange.Made) error {
		e := &edit.Edit{Overwrite: true, Arrange: func(in *edit.Input) (*edit.Output, error) {
			return &edit.Output{Tensors: make(in), Set: map[string]string{"k": "v"}}, nil
		}}
		_, err := e.Write(context.Background(), file, filepath.Join(dir, "out.safetensors"))
		return err
	}
	keep := func(t *safetensors.Tensor) arrange.Made {
		return arrange.Made{Tensor: t, From: []*safetensors.Tensor{t}}
	}
	err = arranged(func(in *edit.Input) []arrange.Made { return []arrange.Made{{Tensor: alpha}, keep(in.Tensors[0])} })
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(filepath.Join(dir, "out.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Header.Lookup("alpha") == nil || f.Header.Lookup("x") == nil || f.Header.Lookup("y") != nil || f.Header.Metadata["k"] != "v" {
		t.Error(f.Header)
	}
	for want, make := range map[string]func(in *edit.Input) []arrange.Made{
		`tensors "x" and "y" would both be called "x"`: func(in *edit.Input) []arrange.Made {
			return []arrange.Made{keep(in.Tensors[0]), {Tensor: in.Tensors[1].Rename("x"), From: in.Tensors[1:]}}
		},
		"which the source does not have": func(*edit.Input) []arrange.Made { return []arrange.Made{keep(alpha)} },
		"would be left":                  func(*edit.Input) []arrange.Made { return nil },
		"which is not a name of tensors": func(*edit.Input) []arrange.Made {
			return []arrange.Made{{Tensor: alpha.Rename("__metadata__")}}
		},
	} {
		if err := arranged(make); !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
