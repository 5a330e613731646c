// Layouts: maps between two forms of one kind of model, for names that differ from place to place.

package respell

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/edit/remap"
	"github.com/weightools/safetensors/model/names"
)

//go:embed data/*.map
var data embed.FS

// A layout is two forms of one kind of model: its own, in which libraries save it, and another.
type layout struct {
	file       string // in data
	own, other []string
	containers []string // that the other form has before its names in files with several models
	stem       string   // of files in the own form
	types      []string // the model_type or _class_name of such models; none if any
	last       []string // what names have before the number of a block, if the last block is different
	there      *remap.Map
	back       *remap.Map
}

// of returns the layout for tensors: with the number of their last block, if that is different.
func (l *layout) of(tensors []*safetensors.Tensor) (*layout, error) {
	most := 0
	for _, t := range tensors {
		for _, before := range l.last {
			if rest, ok := strings.CutPrefix(t.Name, before); ok {
				number, _, _ := strings.Cut(rest, ".")
				if n, err := strconv.Atoi(number); err == nil {
					most = max(most, n)
				}
			}
		}
	}
	if most == 0 {
		return l, nil
	}
	one := *l
	return &one, one.read(most)
}

// authors are the forms with the names of the authors.
var authors = []string{"original", "comfyui", "checkpoint"}

const unetContainer = "model.diffusion_model."

// layouts are all layouts, with their maps, which the tests show to have no errors.
var layouts = sync.OnceValue(func() []layout {
	diffusers, transformers := []string{"diffusers"}, []string{"transformers"}
	unets := []string{unetContainer}
	list := []layout{
		{file: "unet-sd", own: diffusers, other: authors, containers: unets, stem: "diffusion_pytorch_model",
			types: []string{"UNet2DConditionModel"}},
		{file: "unet-sdxl", own: diffusers, other: authors, containers: unets, stem: "diffusion_pytorch_model",
			types: []string{"UNet2DConditionModel"}},
		{file: "unet-sdxl-refiner", own: diffusers, other: authors, containers: unets, stem: "diffusion_pytorch_model",
			types: []string{"UNet2DConditionModel"}},
		{file: "vae", own: diffusers, other: authors, containers: []string{"first_stage_model.", "vae."},
			stem: "diffusion_pytorch_model", types: []string{"AutoencoderKL"}},
		{file: "openclip", own: []string{"diffusers", "transformers"}, other: authors, stem: "model",
			containers: []string{"conditioner.embedders.1.model.", "conditioner.embedders.0.model.", "cond_stage_model.model."}},
		{file: "flux", own: diffusers, other: authors, containers: unets, stem: "diffusion_pytorch_model",
			types: []string{"FluxTransformer2DModel"}},
		{file: "sd3", own: diffusers, other: authors, containers: unets, stem: "diffusion_pytorch_model",
			types: []string{"SD3Transformer2DModel"}, last: []string{"transformer_blocks.", "joint_blocks."}},
		{file: "mistral", own: transformers, other: []string{"mistral", "meta"}, stem: "model",
			types: []string{"llama", "mistral"}},
		{file: "mixtral", own: transformers, other: []string{"mistral"}, stem: "model", types: []string{"mixtral"}},
		{file: "megatron-llama", own: transformers, other: []string{"megatron"}, stem: "model",
			types: []string{"llama", "mistral", "qwen2", "qwen3"}},
		{file: "megatron-mixtral", own: transformers, other: []string{"megatron"}, stem: "model", types: []string{"mixtral"}},
	}
	for i := range list {
		if err := list[i].read(0); err != nil {
			panic(err)
		}
	}
	return list
})

// read reads the maps, for models whose last block has a number.
func (l *layout) read(last int) error {
	text, err := data.ReadFile("data/" + l.file + ".map")
	if err == nil {
		text = bytes.ReplaceAll(text, []byte("LAST"), strconv.AppendInt(nil, int64(last), 10))
		l.there, err = remap.Parse(l.file, text)
	}
	if err == nil {
		l.there.Companions = true
		l.back, err = l.there.Reverse()
	}
	return err
}

// builtin changes names by a layout. It returns nil if none has the form and all names; refused then says why, if one has
// most names.
func (f *Form) builtin(in *edit.Input) (out *edit.Output, refused, err error) {
	tensors, origin, container := unwrapped(in.Tensors)
	params, err := in.Params()
	if err != nil {
		return nil, nil, err
	}
	kind := kindOf(in)
	for i := range layouts() {
		l := &layouts()[i]
		isOwn := slices.Contains(l.own, f.Name)
		if !isOwn && !slices.Contains(l.other, f.Name) || container != "" && !slices.Contains(l.containers, container) ||
			kind != "" && len(l.types) > 0 && !slices.Contains(l.types, kind) {
			continue
		}
		if l, err = l.of(tensors); err != nil {
			return nil, nil, err
		}
		m, other := l.there, l.back
		if isOwn {
			m, other = l.back, l.there
		}
		known, known2 := count(m, tensors), count(other, tensors)
		switch {
		case known2 == len(tensors) && known < known2: // they have these names
			out, err = f.made(l, isOwn, tensors, origin, nil)
			return out, nil, err
		case known == len(tensors):
			r, err := m.Apply(tensors, params)
			if err == nil {
				out, err = f.made(l, isOwn, tensors, origin, r)
			}
			if err == nil && (l.file == "mistral" || l.file == "mixtral") && f.Name != "meta" {
				configure(l, in, out, isOwn)
			}
			return out, nil, err
		case known*2 > len(tensors) && refused == nil:
			refused = unknownNames(f.Name, m, tensors)
		}
	}
	return nil, refused, nil
}

// count returns how many tensors a map has, or 0 if it has few of the first.
func count(m *remap.Map, tensors []*safetensors.Tensor) (n int) {
	const enough = 100
	for i, t := range tensors {
		if m.Has(t.Name) {
			n++
		}
		if i >= enough && n*2 < i {
			return 0
		}
	}
	return n
}

// unknownNames returns the error of tensors that a map does not have.
func unknownNames(form string, m *remap.Map, tensors []*safetensors.Tensor) error {
	var unknown []string
	for _, t := range tensors {
		if !m.Has(t.Name) {
			unknown = append(unknown, t.Name)
		}
	}
	return fmt.Errorf("no names in the form %q are known for %s: drop them with --drop, or use --map", form, firstOf(unknown))
}

// unwrapped returns the tensors without wrappers, and without the container that all names begin with. Origin has what
// they were.
func unwrapped(tensors []*safetensors.Tensor) (
	bare []*safetensors.Tensor, origin map[*safetensors.Tensor]*safetensors.Tensor, container string) {
	list := make([]string, len(tensors))
	for i, t := range tensors {
		list[i] = names.Unwrap(t.Name)
	}
	for again := true; again; {
		again = false
		for _, w := range names.Wrappers() {
			again = cutAll(list, w.Mark) || again
		}
	}
	for i := range layouts() {
		for _, c := range layouts()[i].containers {
			if container == "" && cutAll(list, c) {
				container = c
			}
		}
	}
	bare = make([]*safetensors.Tensor, len(tensors))
	origin = make(map[*safetensors.Tensor]*safetensors.Tensor, len(tensors))
	for i, t := range tensors {
		bare[i] = t.Rename(list[i])
		origin[bare[i]] = t
	}
	return bare, origin, container
}

// cutAll removes what all names begin with, and reports whether they do.
func cutAll(list []string, prefix string) bool {
	if slices.ContainsFunc(list, func(name string) bool { return !strings.HasPrefix(name, prefix) || name == prefix }) {
		return false
	}
	for i := range list {
		list[i] = list[i][len(prefix):]
	}
	return len(list) > 0
}

// made returns the output of a layout.
func (f *Form) made(l *layout, isOwn bool, tensors []*safetensors.Tensor, origin map[*safetensors.Tensor]*safetensors.Tensor,
	r *remap.Result) (*edit.Output, error) {
	out := &edit.Output{Set: f.metadata, Stem: f.files, Described: isOwn}
	if isOwn {
		out.Stem = l.stem
	}
	if r == nil {
		r = &remap.Result{Rest: tensors}
	}
	container := ""
	if f.contained && !isOwn {
		var err error
		if container, err = l.container(r); err != nil {
			return nil, err
		}
	}
	for _, one := range r.All() {
		from := make([]*safetensors.Tensor, len(one.From))
		for i, t := range one.From {
			from[i] = origin[t]
		}
		t := one.Tensor.Rename(container + one.Name)
		if one.How == "" && from[0].Name == t.Name {
			t = from[0]
		}
		out.Tensors = append(out.Tensors, arrange.Made{Tensor: t, From: from, How: one.How})
	}
	return out, nil
}

// container returns what the names begin with in a file with other models. The text encoder of Stable Diffusion XL is
// wider than that of version 2.
func (l *layout) container(r *remap.Result) (string, error) {
	if l.file != "openclip" {
		return l.containers[0], nil
	}
	for _, one := range r.All() {
		if one.Name == "token_embedding.weight" && len(one.Shape) == 2 {
			switch one.Shape[1] {
			case 1280:
				return "conditioner.embedders.1.model.", nil
			case 1024:
				return "cond_stage_model.model.", nil
			}
		}
	}
	return "", fmt.Errorf("this text encoder is neither that of Stable Diffusion 2, with 1024 channels, nor the second of XL, " +
		"with 1280, so its place in a file of all parts is not known: use --names original")
}

// Layout returns the rules of a map of this package by its name, such as "flux", from the names of libraries to those of
// the authors; nil if there is none. They tell package adapter what modules are called.
func Layout(name string) []remap.Rule {
	for i := range layouts() {
		if l := &layouts()[i]; l.file == name {
			return l.there.Rules()
		}
	}
	return nil
}
