// Conversion: the programs whose names an adapter can get.

package adapter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// A form is how a program spells adapters.
type form struct {
	down, up, magnitude, alpha string // what follows the module; alpha is "" if it is not a tensor
	flat                       bool   // underscores replace dots
	lora                       bool   // no other kind has names in this form, or they depend on more than names
	stem                       string // of the file, or ""
	language                   language
	finish                     func(*source, *edit.Output) error
}

// forms are the spellings that Convert makes. Sources: see package adapters.
var forms = map[adapters.Spelling]*form{
	adapters.Kohya: {down: ".lora_down.weight", up: ".lora_up.weight", magnitude: ".dora_scale", alpha: ".alpha",
		flat: true, language: original},
	adapters.ComfyUI: {down: ".lora_A.weight", up: ".lora_B.weight", magnitude: ".dora_scale", alpha: ".alpha",
		language: original},
	adapters.PEFT: {down: ".lora_A.weight", up: ".lora_B.weight", magnitude: ".lora_magnitude_vector", lora: true,
		stem: "adapter_model", finish: (*source).finishPEFT},
	adapters.Diffusers: {down: ".lora_A.weight", up: ".lora_B.weight", magnitude: ".lora_magnitude_vector", lora: true,
		stem: "pytorch_lora_weights", finish: (*source).finishDiffusers},
	adapters.MLX: {down: ".lora_a", up: ".lora_b", magnitude: ".m", lora: true, stem: "adapters",
		finish: (*source).finishMLX},
}

// Forms returns the spellings that Convert makes, sorted.
func Forms() []adapters.Spelling {
	var list []adapters.Spelling
	for one := range forms {
		list = append(list, one)
	}
	slices.Sort(list)
	return list
}

// Convert returns what gives an adapter the names of a spelling, for [edit.Edit.Arrange], or false if the spelling is
// not one of [Forms]. It fails for weights that are not an adapter and for what would be a guess.
func Convert(to adapters.Spelling) (func(*edit.Input) (*edit.Output, error), bool) {
	f := forms[to]
	if f == nil {
		return nil, false
	}
	return func(in *edit.Input) (*edit.Output, error) {
		s, err := read(in)
		if err != nil {
			return nil, err
		}
		if err := s.respell(to, f); err != nil {
			return nil, err
		}
		return s.write(to, f)
	}, true
}

// languages are those of the spellings that have one.
var languages = map[adapters.Spelling]language{adapters.PEFT: own, adapters.Diffusers: own, adapters.OldDiffusers: own,
	adapters.XLabs: own, adapters.ComfyUI: original}

// components are those whose modules have names of their own in each spelling.
var components = []adapters.Component{adapters.Denoiser, adapters.TextEncoder, adapters.TextEncoder2,
	adapters.TextEncoder3}

// respell gives the modules the paths of a form.
func (s *source) respell(to adapters.Spelling, f *form) error {
	if to == s.spelling {
		return s.joinPairs(f)
	}
	switch s.spelling {
	case adapters.PEFT, adapters.Bare, adapters.LyCORIS:
		if err := s.place(to); err != nil {
			return err
		}
	case adapters.XLabs:
		for _, m := range s.modules {
			m.component = adapters.Denoiser
		}
		if err := s.translate(adapters.Denoiser, own); err != nil {
			return err
		}
	}
	for _, c := range components {
		language := f.language
		if c != adapters.Denoiser || f.flat && s.isUNet() { // trainers of Stable Diffusion have the names of diffusers
			language = own
		}
		of := func(m *module) bool { return m.component == c }
		flat := slices.ContainsFunc(s.modules, func(m *module) bool { return of(m) && m.flat })
		if !slices.ContainsFunc(s.modules, of) || flat && f.flat || !flat && c != adapters.Denoiser {
			continue
		}
		if known, ok := languages[s.spelling]; flat || !ok || known != language {
			if err := s.translate(c, language); err != nil {
				return err
			}
		}
	}
	return s.joinPairs(f)
}

// place finds the component of modules whose names do not tell it: a diffusion model's, if the tables have them.
func (s *source) place(to adapters.Spelling) error {
	if to == adapters.PEFT || to == adapters.MLX {
		return nil
	}
	known := slices.ContainsFunc(glossaryOf().guesses(s.modules, s.metadata), func(g guess) bool {
		return !strings.Contains(g.arch.name, "Text") && !strings.Contains(g.arch.name, "Encoder")
	})
	if !known {
		return fmt.Errorf("module %s is in no diffusion model whose names are known: %s has names only for those",
			wording.Quote(s.modules[0].path), to)
	}
	for _, m := range s.modules {
		m.component = adapters.Denoiser
	}
	return nil
}

// joinPairs joins the pairs of modules that have several, unless the form has names for them.
func (s *source) joinPairs(f *form) error {
	if f.flat {
		return nil
	}
	byPath := make(map[string][]*module)
	var kept []*module
	for _, m := range s.modules {
		if m.label == "" {
			kept = append(kept, m)
			continue
		}
		key := string(m.component) + "\n" + m.path
		byPath[key] = append(byPath[key], m)
	}
	for _, m := range s.modules {
		key := string(m.component) + "\n" + m.path
		list := byPath[key]
		if list == nil {
			continue
		}
		delete(byPath, key)
		slices.SortFunc(list, func(a, b *module) int { return strings.Compare(a.label, b.label) })
		for i, one := range list {
			if one.label != fmt.Sprint(i) {
				return fmt.Errorf("module %s has pairs of matrices, but not number %d", wording.Quote(m.path), i)
			}
		}
		one, err := joinPairs(list)
		if err != nil {
			return err
		}
		kept = append(kept, one)
	}
	s.modules = kept
	return nil
}

// joinPairs joins pairs, which are for parts of the outputs of any sizes.
func joinPairs(list []*module) (*module, error) {
	weights := make([]int64, len(list))
	for i, m := range list {
		weights[i] = max(m.up.Shape[0], 1)
	}
	return joinModules(list[0].path, list, weights)
}

// write makes the tensors.
func (s *source) write(to adapters.Spelling, f *form) (*edit.Output, error) {
	out := &edit.Output{Set: make(map[string]string), Texts: make(map[string][]byte), Stem: f.stem}
	if s.config != nil {
		out.Texts[configName] = nil
	}
	if s.metadata[metadataName] != "" {
		out.Unset = append(out.Unset, metadataName)
	}
	for _, m := range s.modules {
		prefix, err := s.prefixOf(m, to)
		if err != nil {
			return nil, err
		}
		path := m.path
		if f.flat {
			path = strings.ReplaceAll(path, ".", "_")
		}
		list, err := m.write(prefix+path, f)
		if err != nil {
			return nil, err
		}
		out.Tensors = append(out.Tensors, list...)
	}
	if f.finish != nil {
		if err := f.finish(s, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// write makes the tensors of a module.
func (m *module) write(name string, f *form) (list []arrange.Made, err error) {
	add := func(one matrix, suffix string) {
		if one.is() && err == nil {
			var t arrange.Made
			t, err = one.as(name + suffix)
			list = append(list, t)
		}
	}
	switch {
	case f.lora && !m.isLoRA():
		return nil, fmt.Errorf("module %s has tensors of a kind of adapter that this program has no names for, such as %s",
			wording.Quote(m.path), wording.Quote(m.name))
	case m.bias.is() && !f.lora:
		return nil, fmt.Errorf("module %s has a bias in its adapter, which this program has no name for",
			wording.Quote(m.path))
	}
	label := ""
	if m.label != "" {
		label = "." + m.label
	}
	down, up := m.down, m.up
	if f.down == ".lora_a" && down.is() {
		if down, up, err = turned(m); err != nil {
			return nil, err
		}
	}
	before, weight := strings.CutSuffix(f.down, ".weight")
	after := ""
	if weight {
		after = ".weight"
	}
	add(down, before+label+after)
	add(up, strings.TrimSuffix(f.up, ".weight")+label+after)
	add(m.mid, ".lora_mid.weight")
	magnitude, err2 := m.lengths(f)
	if err2 != nil {
		return nil, err2
	}
	add(magnitude, f.magnitude)
	for _, p := range m.others {
		add(p.matrix, "."+p.word)
	}
	if f.alpha != "" && m.alpha > 0 && (m.label == "" || m.label == "0") {
		scalar, err := m.alphaTensor(name + f.alpha)
		if err != nil {
			return nil, err
		}
		list = append(list, scalar)
	} else if f.alpha != "" && !m.down.is() {
		add(m.scalar, f.alpha)
	}
	return list, err
}

// turned returns the matrices with the inputs first, as in MLX, which has no adapters for convolutions.
func turned(m *module) (down, up matrix, err error) {
	if m.isConvolution() {
		return down, up, fmt.Errorf("module %s is a convolution, and mlx-lm has no adapters for these", wording.Quote(m.path))
	}
	both := [2]matrix{m.down, m.up}
	for i, one := range both {
		if i < 2 && one.how == "transposed" && len(one.from) == 1 { // as it was
			both[i] = matrix{Tensor: one.from[0], from: one.from}
			continue
		}
		t, err := arrange.Transpose(one.Tensor, 0, 1)
		if err != nil {
			return down, up, err
		}
		both[i] = made(t, "transposed", one)
		both[i].how = "transposed"
	}
	return both[0], both[1], nil
}

// lengths returns the magnitude with the shape of a form: [out], or [out, 1] beside alpha in the file.
func (m *module) lengths(f *form) (matrix, error) {
	one := m.magnitude
	if !one.is() {
		return one, nil
	}
	out := one.NumElems()
	if !m.up.is() || out != m.up.Shape[0] || len(one.Shape) > 0 && one.Shape[0] != out {
		return one, fmt.Errorf("tensor %s %s has lengths for the inputs of module %s, and this program expects those for "+
			"its outputs", wording.Quote(one.Name), one.ShapeString(), wording.Quote(m.path))
	}
	shape := []int64{out}
	if f.alpha != "" {
		for range m.down.Shape[1:] {
			shape = append(shape, 1)
		}
	}
	if slices.Equal(shape, one.Shape) {
		return one, nil
	}
	t, err := arrange.Reshape(one.Tensor, shape...)
	return made(t, "reshaped", one), err
}

// alphaTensor returns the scalar of alpha: that of the source if it has the value.
func (m *module) alphaTensor(name string) (arrange.Made, error) {
	if m.scalar.is() {
		var one [1]float64
		if n, _ := safetensors.DecodeAt(m.scalar.Tensor, one[:], 0); n == 1 && one[0] == m.alpha {
			return m.scalar.as(name)
		}
	}
	t, err := safetensors.NewTensor(name, []float32{float32(m.alpha)})
	return arrange.Made{Tensor: t}, err
}
