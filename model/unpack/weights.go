// Finding the packed weights of a checkpoint.

package unpack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// A Source is the tensors of a checkpoint and what describes them.
type Source struct {
	Files []File // if several have a tensor of one name, the first counts

	// Beside reads a small file in the folder of the checkpoint, such as "config.json". The error wraps
	// [fs.ErrNotExist] if there is none. Nil means that there are none. Files that cannot be read count as missing.
	Beside func(name string) ([]byte, error)
}

// A File is a file of a checkpoint.
type File struct {
	Tensors  []*safetensors.Tensor
	Metadata map[string]string
}

// Weights are the packed weights of a checkpoint.
type Weights struct {
	All []*Weight // in the order of their first parts

	context scheme.Context
	byName  map[string]*Weight // by the names of parts and of weights
}

// Of returns the weight that has the given name, or that has a part with this name. It returns nil if there is none.
func (ws *Weights) Of(name string) *Weight { return ws.byName[name] }

// Idle reports whether a tensor that is part of no weight serves only quantized models: a scale of activations or of
// the key-value cache, or a marker.
func (ws *Weights) Idle(t *safetensors.Tensor) bool {
	if len(ws.All) == 0 || ws.byName[t.Name] != nil {
		return false
	}
	_, r := parts.Split(t.Name)
	return r == parts.Activation || r == parts.Marker || parts.Last(t.Name) == "scaled_fp8" && t.NumElems() <= 2
}

// Of finds the packed weights of a checkpoint. It reads configuration files, and no tensors.
func Of(src *Source) *Weights {
	f := &finder{Source: src, Weights: &Weights{byName: make(map[string]*Weight)}, modules: make(map[string]*Weight)}
	f.collect()
	if len(f.order) == 0 {
		return f.Weights
	}
	f.describe()
	for _, w := range f.order {
		f.context.Learn(&w.module)
	}
	for _, w := range f.order {
		if !w.recognize(&f.context) {
			continue
		}
		w.of = f.Weights
		f.All = append(f.All, w)
		for _, t := range w.Parts {
			f.byName[t.Name] = w
		}
	}
	for _, w := range f.All { // a plain weight beside the packed one keeps its name
		if other := f.names[w.Name]; other != nil && other != w.Parts[0] {
			w.reason = fmt.Errorf("the checkpoint also has a plain tensor %s", wording.Quote(w.Name))
			continue
		}
		f.byName[w.Name] = w
	}
	return f.Weights
}

// A finder finds packed weights.
type finder struct {
	*Source
	*Weights
	modules map[string]*Weight
	order   []*Weight // of modules that have a tensor which may be part of a packed weight
	names   map[string]*safetensors.Tensor
}

// collect groups the tensors that may be parts of packed weights, by name or dtype.
func (f *finder) collect() {
	type located struct {
		*safetensors.Tensor
		file int32
	}
	var plain []located
	f.names = make(map[string]*safetensors.Tensor)
	f.context.Hidden = make(map[string]int64)
	for i := range f.Files {
		for _, t := range f.Files[i].Tensors {
			if f.names[t.Name] != nil {
				continue
			}
			f.names[t.Name] = t
			module, r := parts.Split(t.Name)
			if r == parts.Weight && parts.KindOf(t.Dtype) == parts.Float {
				plain = append(plain, located{t, int32(i)})
				f.context.LearnNorm(&t.TensorInfo)
				continue
			}
			f.put(module, r, t, int32(i))
		}
	}
	for _, t := range plain { // packed bytes may be stored as floats
		module, ok := strings.CutSuffix(t.Name, ".weight")
		if w := f.modules[module]; ok && w != nil && !w.holds() {
			f.put(module, parts.Weight, t.Tensor, t.file)
		}
	}
}

// holds reports whether the weight has a part with values.
func (w *Weight) holds() bool {
	return slices.ContainsFunc(w.roles[:parts.Extra], func(t *safetensors.Tensor) bool { return t != nil })
}

// put adds a tensor of a file to its module.
func (f *finder) put(module string, r parts.Role, t *safetensors.Tensor, file int32) {
	w := f.modules[module]
	if w == nil {
		w = &Weight{module: scheme.Module{Name: module}}
		f.modules[module] = w
		f.order = append(f.order, w)
	}
	w.Parts = append(w.Parts, t)
	if r == parts.ScaleInv {
		r = parts.Scale
	}
	if w.roles[r] != nil && r != parts.Extra && r != parts.Activation {
		w.reason = fmt.Errorf("%w for weights with both %s and %s", ErrUnknown, wording.Quote(w.roles[r].Name),
			wording.Quote(t.Name))
		return
	}
	w.roles[r] = t
	info := &t.TensorInfo
	if info.Shape == nil { // a scalar; package scheme takes nil for unknown
		scalar := t.TensorInfo
		scalar.Shape = []int64{}
		info = &scalar
	}
	w.module.Set(r, &scheme.Tensor{Info: info, File: file, Kinds: parts.KindOf(t.Dtype)})
}

// describe reads what the configuration and the metadata say.
func (f *finder) describe() {
	f.context.Config = config.New(f.files(), new(config.Notes))
	f.context.Metadata = func(file int32) map[string]string { return f.Files[file].Metadata }
	f.context.Comfy = make(map[string]string)
	for i := range f.Files {
		scheme.ComfyFormats(f.context.Comfy, f.Files[i].Metadata)
	}
}

// files reads the configuration files that describe packed weights.
func (f *finder) files() config.Files {
	read := func(name string) config.File {
		if f.Beside == nil {
			return config.File{Name: name}
		}
		text, err := f.Beside(name)
		if err != nil {
			return config.File{Name: name}
		}
		return config.Parse(name, text)
	}
	all := config.Files{Main: read("config.json")}
	if config.New(all, new(config.Notes)).Quant != nil {
		return all
	}
	for _, name := range config.QuantizeNames {
		if all.Quantize = read(name); all.Quantize.Root != nil {
			return all
		}
	}
	all.ModelOpt = read("hf_quant_config.json")
	return all
}
