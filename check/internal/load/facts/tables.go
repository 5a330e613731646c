// Package facts has what programs know and look for, as data: architectures and classes, names of files, and folders.
package facts

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed llamacpp.txt
var llamaCPPText string

//go:embed mlx.txt
var mlxText string

//go:embed ollama.txt
var ollamaText string

//go:embed diffusers.txt
var diffusersText string

// The tables, by the name at the beginning of each line. The heads of the files say what the words mean.
var (
	// LlamaCPP has the classes that llama.cpp converts.
	LlamaCPP = sync.OnceValue(func() map[string]Words { return parseTable(llamaCPPText) })

	// Ollama has the classes that ollama converts.
	Ollama = sync.OnceValue(func() map[string]Words { return parseTable(ollamaText) })

	// Diffusers has the classes of diffusers.
	Diffusers = sync.OnceValue(func() map[string]Words { return parseTable(diffusersText) })

	mlxTypes = sync.OnceValue(func() map[string]Words { return parseTable(mlxText) })
)

// Words are what a table says about a name.
type Words []string

// parseTable parses a table: a name and words on each line. A line that begins with a blank continues the one
// before it, and one that begins with "#" is a remark.
func parseTable(text string) map[string]Words {
	table := make(map[string]Words)
	last := ""
	for line := range strings.Lines(text) {
		list := strings.Fields(line)
		if len(list) == 0 || list[0][0] == '#' {
			continue
		}
		if line[0] != ' ' {
			last, list = list[0], list[1:]
		}
		table[last] = append(table[last], list...)
	}
	return table
}

// Has reports whether a flag is among the words.
func (w Words) Has(flag string) bool {
	for _, word := range w {
		if word == "needs" {
			return false
		}
		if word == flag {
			return true
		}
	}
	return false
}

// Needs returns the words after "needs".
func (w Words) Needs() []string {
	for i, word := range w {
		if word == "needs" {
			return w[i+1:]
		}
	}
	return nil
}

// Theta returns the number of "theta=N".
func (w Words) Theta() (n float64, ok bool) {
	for _, word := range w {
		if text, found := strings.CutPrefix(word, "theta="); found {
			n, err := strconv.ParseFloat(text, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// MLX returns what mlx-lm knows of a model type.
func MLX(kind string) (Words, bool) {
	w, ok := mlxTypes()[kind]
	if len(w) == 2 && w[0] == "=" {
		w, ok = mlxTypes()[w[1]]
	}
	return w, ok
}

// Weights are the names under which a library looks for weights.
type Weights struct {
	Stem  string   // before ".safetensors"
	Names []string // any of them is enough
}

// The weights of components of diffusers, by the library of their class.
var (
	OfDiffusers = Weights{"diffusion_pytorch_model", []string{"diffusion_pytorch_model.safetensors.index.json",
		"diffusion_pytorch_model.safetensors", "diffusion_pytorch_model.bin"}}
	OfTransformers = Weights{"model", []string{"model.safetensors.index.json", "model.safetensors",
		"pytorch_model.bin.index.json", "pytorch_model.bin"}}
)

// Variant returns the variant of weights: "fp16" for "model.fp16.safetensors", for its shards, their index, and for
// shards as older versions name them.
func (w Weights) Variant(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, w.Stem+".")
	switch {
	case ok && strings.HasPrefix(rest, "safetensors.index."):
		variant, isIndex := strings.CutSuffix(strings.TrimPrefix(rest, "safetensors.index."), ".json")
		return variant, isIndex && variant != "json"
	case ok:
		variant, isWeights := strings.CutSuffix(rest, ".safetensors")
		variant, _, _ = strings.Cut(variant, "-")
		return variant, isWeights
	}
	rest, ok = strings.CutPrefix(name, w.Stem+"-")
	rest, isWeights := strings.CutSuffix(rest, ".safetensors")
	_, variant, dotted := strings.Cut(rest, ".")
	return variant, ok && isWeights && dotted
}
