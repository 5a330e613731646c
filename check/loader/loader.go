// Package loader lists programs that load weights, and the rules whose violations matter to each of them.
//
// The same fact matters to one program and not to another: a set of shards without an index is what vLLM reads by a
// pattern, and what transformers does not find. So a fault is found once, by the packages
// [github.com/weightools/safetensors/checkpoint] and [github.com/weightools/safetensors/check], and a [Need] says what
// a program does with it. [Apply] raises the severity of violations accordingly. Some rules exist only for loaders;
// package check finds violations of them if Options.For names one.
//
// Every need cites the source code of the program, in the version that [All] lists. Other versions may differ.
package loader

import (
	"fmt"
	"slices"
	"strings"
)

// A Name is the name of a program that loads weights, as in the flag --for of the program weigh.
type Name string

// The programs.
const (
	Transformers Name = "transformers"
	VLLM         Name = "vllm"
	SGLang       Name = "sglang"
	LlamaCPP     Name = "llama.cpp"
	MLX          Name = "mlx"
	Ollama       Name = "ollama"
	Diffusers    Name = "diffusers"
	ComfyUI      Name = "comfyui"
)

// An Info describes a program.
type Info struct {
	Name    Name
	Title   string // how its makers write it
	Version string // the version or revision whose source code the needs cite
	URL     string // of its source code
	Reads   string // what it opens, in one sentence
}

var infos = []Info{
	{Transformers, "transformers", "5.24.0", "https://github.com/huggingface/transformers",
		"It reads config.json, then model.safetensors or the shards of model.safetensors.index.json, then the same of " +
			"pytorch_model.bin."},
	{VLLM, "vLLM", "0.33.0", "https://github.com/vllm-project/vllm",
		"It reads config.json, then every *.safetensors file of the folder that model.safetensors.index.json does not " +
			"exclude, or *.bin files if there are none."},
	{SGLang, "SGLang", "0.5.10.post1", "https://github.com/sgl-project/sglang",
		"It reads config.json, then every *.safetensors file of the folder that model.safetensors.index.json does not " +
			"exclude, or *.bin files if there are none."},
	{LlamaCPP, "llama.cpp", "0.3.36", "https://github.com/ggml-org/llama.cpp",
		"Its convert_hf_to_gguf.py reads config.json, then the files that model.safetensors.index.json names, or every " +
			"model*.safetensors, or every pytorch_model*.bin, and the tokenizer. The version is that of llama_cpp_python, " +
			"which contains it."},
	{MLX, "mlx-lm", "0.32.2", "https://github.com/ml-explore/mlx-lm",
		"It reads config.json, then every model*.safetensors, even if the index does not list it, and the tokenizer."},
	{Ollama, "Ollama", "fb307609", "https://github.com/ollama/ollama",
		"`ollama create` reads every model*.safetensors, or consolidated*.safetensors, or files of other formats, and all " +
			"*.json files, and converts them to GGUF."},
	{Diffusers, "diffusers", "0.42.1", "https://github.com/huggingface/diffusers",
		"It reads model_index.json, then each component that this names: its configuration and the weights in its folder."},
	{ComfyUI, "ComfyUI", "033046cc", "https://github.com/Comfy-Org/ComfyUI",
		"Each node reads one file from its folder below models, such as checkpoints, diffusion_models, text_encoders, vae " +
			"and loras, and tells by its tensors what the model is."},
}

// All returns the programs that have needs.
func All() []Info { return slices.Clone(infos) }

// Lookup describes a program. It returns false if it is unknown.
func Lookup(name Name) (Info, bool) {
	i := slices.IndexFunc(infos, func(one Info) bool { return one.Name == name })
	if i < 0 {
		return Info{}, false
	}
	return infos[i], true
}

// Parse parses names of programs, without regard to case. It returns each once, in the order of All.
func Parse(names []string) ([]Name, error) {
	var list []Name
	for _, name := range names {
		i := slices.IndexFunc(infos, func(one Info) bool { return strings.EqualFold(string(one.Name), name) })
		if i < 0 {
			return nil, &UnknownError{name}
		}
		list = append(list, infos[i].Name)
	}
	var sorted []Name
	for _, one := range infos {
		if slices.Contains(list, one.Name) {
			sorted = append(sorted, one.Name)
		}
	}
	return sorted, nil
}

// An UnknownError says that Parse does not know a program.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	words := make([]string, len(infos))
	for i, one := range infos {
		words[i] = string(one.Name)
	}
	return fmt.Sprintf("loader: unknown program %.100q; known are %s", e.Name, strings.Join(words, ", "))
}

// SplitsTensors reports whether a program can split each tensor over several devices, and has needs about that.
func (n Name) SplitsTensors() bool { return n == VLLM || n == SGLang }

//go:generate go test -run ^TestLoadersDoc$ -update .
