// What goes with the tensors: prefixes, adapter_config.json and the metadata of diffusers.

package adapter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// isUNet reports whether the modules of the denoiser are those of a UNet, by the first words of their paths.
func (s *source) isUNet() bool {
	return slices.ContainsFunc(s.modules, func(m *module) bool {
		path := strings.ReplaceAll(m.path, "_", ".")
		return m.component == adapters.Denoiser && (strings.HasPrefix(path, "down.blocks.") ||
			strings.HasPrefix(path, "up.blocks.") || strings.HasPrefix(path, "mid.block.") ||
			strings.HasPrefix(path, "input.blocks.") || strings.HasPrefix(path, "output.blocks.") ||
			strings.HasPrefix(path, "middle.block."))
	})
}

// textEncoders are the prefixes of text encoders; T5 and CLIP have other names in ComfyUI.
var textEncoders = map[adapters.Component][3]string{
	adapters.TextEncoder:  {"text_encoder.", "lora_te1_", "text_encoders.clip_l.transformer."},
	adapters.TextEncoder2: {"text_encoder_2.", "lora_te2_", "text_encoders.clip_g.transformer."},
	adapters.TextEncoder3: {"text_encoder_3.", "lora_te3_", "text_encoders.t5xxl.transformer."},
}

// prefixOf returns what comes before the path of a module.
func (s *source) prefixOf(m *module, to adapters.Spelling) (string, error) {
	if to == s.spelling {
		return m.prefix, nil
	}
	text, isText := textEncoders[m.component]
	if isText && strings.HasPrefix(m.path, "encoder.block") {
		text[2] = textEncoders[adapters.TextEncoder3][2]
	}
	switch {
	case to == adapters.MLX && m.component != adapters.Other:
		return "", fmt.Errorf("module %s is of a diffusion model, and mlx-lm has names only for language models",
			wording.Quote(m.path))
	case to == adapters.MLX:
		return "", nil
	case to == adapters.PEFT:
		if all := s.components(); len(all) > 1 {
			return "", fmt.Errorf("the adapter is for %d models, %s, and one of PEFT is for a single one: keep one with --keep",
				len(all), wording.Quote(all[0])+" and "+wording.Quote(all[1]))
		}
		return "base_model.model.", nil
	case m.component == adapters.Other:
		return "", fmt.Errorf("module %s is of a language model, and %s has names only for diffusion models",
			wording.Quote(m.path), to)
	case isText && to == adapters.Diffusers:
		return text[0], nil
	case isText && to == adapters.ComfyUI:
		return text[2], nil
	case isText && m.component == adapters.TextEncoder && s.isUNet() && len(s.components()) < 3 && s.context() != 2048:
		return "lora_te_", nil // of Stable Diffusion 1 and 2
	case isText:
		return text[1], nil
	case to == adapters.Kohya:
		return "lora_unet_", nil
	case to == adapters.ComfyUI:
		return "diffusion_model.", nil
	case s.isUNet():
		return "unet.", nil
	}
	return "transformer.", nil
}

// components returns the parts of the model that the adapter modifies, in the words of diffusers.
func (s *source) components() []string {
	found := make(map[string]bool)
	for _, m := range s.modules {
		found[string(m.component)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// context returns the number of channels of the text that the denoiser of a UNet reads, or 0 if no module tells.
func (s *source) context() int64 {
	for _, m := range s.modules {
		if m.down.is() && len(m.down.Shape) == 2 && strings.HasSuffix(strings.ReplaceAll(m.path, ".", "_"), "attn2_to_k") {
			return m.down.Shape[1]
		}
	}
	return 0
}

// settings are the rank and alpha of modules: those of most, and patterns for the others.
type settings struct {
	rank    int64
	alpha   float64
	ranks   map[string]int64
	alphas  map[string]float64
	targets []string
	dora    bool
}

// settingsOf returns the settings of some modules.
func settingsOf(modules []*module) (set settings, err error) {
	type pair struct {
		rank  int64
		alpha float64
	}
	counts := make(map[pair]int)
	alphaOf := func(m *module) float64 {
		if m.alpha == 0 {
			return float64(m.rank()) // loaders take the rank if nothing says alpha
		}
		return m.alpha
	}
	dora := 0
	for _, m := range modules {
		counts[pair{m.rank(), alphaOf(m)}]++
		if m.magnitude.is() {
			dora++
		}
	}
	if set.dora = dora > 0; set.dora && dora < len(modules) {
		return set, fmt.Errorf("%d of %d modules have DoRA, and the configuration of PEFT sets it for all or none", dora,
			len(modules))
	}
	usual := slices.MaxFunc(slices.Collect(maps.Keys(counts)), func(a, b pair) int {
		if counts[a] != counts[b] {
			return counts[a] - counts[b]
		}
		return int(b.rank-a.rank) + int(b.alpha-a.alpha)
	})
	set.rank, set.alpha = usual.rank, usual.alpha
	set.ranks, set.alphas = make(map[string]int64), make(map[string]float64)
	for _, m := range modules {
		if m.rank() != set.rank {
			set.ranks[m.path] = m.rank()
		}
		if alpha := alphaOf(m); !same(alpha, set.alpha) {
			set.alphas[m.path] = alpha
		}
	}
	set.targets = targetsOf(modules)
	return set, nil
}

// targetsOf returns target_modules: the last words of the modules if these are all in one stack of layers, each with
// all of them, otherwise all paths. A word also selects modules of layers for which there are no matrices.
func targetsOf(modules []*module) []string {
	words, perLayer := make(map[string]bool), make(map[string]int)
	layers, most := make(map[int]bool), -1
	first, _, _ := parts.Layer(modules[0].path)
	for _, m := range modules {
		stack, n, rest := parts.Layer(m.path)
		if n < 0 || stack != first {
			return pathsOf(modules)
		}
		words[adapters.TargetOf(m.path)] = true
		perLayer[rest]++
		layers[n], most = true, max(most, n)
	}
	for _, n := range perLayer {
		if n != len(layers) || len(layers) != most+1 {
			return pathsOf(modules)
		}
	}
	return slices.Sorted(maps.Keys(words))
}

// pathsOf returns the paths of all modules.
func pathsOf(modules []*module) []string {
	paths := make(map[string]bool)
	for _, m := range modules {
		paths[m.path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// members returns the members of PEFT's configuration, behind a prefix.
func (set *settings) members(prefix string) map[string]any {
	return map[string]any{
		prefix + "peft_type": "LORA", prefix + "r": set.rank, prefix + "lora_alpha": number(set.alpha),
		prefix + "rank_pattern": set.ranks, prefix + "alpha_pattern": set.alphas, prefix + "target_modules": set.targets,
		prefix + "use_dora": set.dora, prefix + "use_rslora": false, prefix + "lora_dropout": 0.0, prefix + "bias": "none",
		prefix + "fan_in_fan_out": false, prefix + "inference_mode": true, prefix + "init_lora_weights": true,
	}
}

// number returns a whole number as such, as PEFT writes it.
func number(x float64) any {
	if n := int64(x); float64(n) == x {
		return n
	}
	return x
}

// finishPEFT writes adapter_config.json.
func (s *source) finishPEFT(out *edit.Output) error {
	set, err := settingsOf(s.modules)
	if err != nil {
		return err
	}
	config := set.members("")
	config["base_model_name_or_path"], config["task_type"], config["modules_to_save"] = s.base(), nil, nil
	if s.config != nil && s.config.TaskType != nil {
		config["task_type"] = *s.config.TaskType
	} else if s.spelling == adapters.MLX {
		config["task_type"] = "CAUSAL_LM"
	}
	if s.config != nil {
		config["fan_in_fan_out"] = s.config.FanInFanOut
	}
	return writeJSON(out, config)
}

// base returns the name of the base, or nil.
func (s *source) base() any {
	switch c := s.config; {
	case c != nil && c.Base != nil:
		return *c.Base
	case c != nil && c.Model != nil:
		return *c.Model
	}
	return nil
}

// finishMLX writes adapter_config.json of mlx-lm, which has one rank and scale for all modules.
func (s *source) finishMLX(out *edit.Output) error {
	set, err := settingsOf(s.modules)
	switch {
	case err != nil:
		return err
	case len(set.ranks) > 0:
		return fmt.Errorf("modules have different ranks, and mlx-lm has one for all")
	case len(set.alphas) > 0:
		return fmt.Errorf("modules have different alphas, and mlx-lm has one scale for all")
	}
	keys := make(map[string]bool)
	for _, m := range s.modules {
		if _, n, rest := parts.Layer(m.path); n >= 0 {
			keys[rest] = true
		} else {
			keys[m.path] = true
		}
	}
	kind := "lora"
	if set.dora {
		kind = "dora"
	}
	return writeJSON(out, map[string]any{
		"model": s.base(), "fine_tune_type": kind, "num_layers": -1, // all
		"lora_parameters": map[string]any{"rank": set.rank, "scale": set.alpha / float64(set.rank), "dropout": 0.0,
			"keys": slices.Sorted(maps.Keys(keys))},
	})
}

func writeJSON(out *edit.Output, config any) error {
	text, err := json.MarshalIndent(config, "", "  ")
	out.Texts[configName] = append(text, '\n')
	return err
}

// finishDiffusers writes the configuration of PEFT for each component into the metadata, if alpha is known: without it,
// diffusers takes the rank.
func (s *source) finishDiffusers(out *edit.Output) error {
	byPrefix := make(map[string][]*module)
	known := false
	for _, m := range s.modules {
		prefix, err := s.prefixOf(m, adapters.Diffusers)
		if err != nil {
			return err
		}
		byPrefix[prefix] = append(byPrefix[prefix], m)
		known = known || m.alpha > 0
	}
	if !known {
		return nil
	}
	all := make(map[string]any)
	for prefix, list := range byPrefix {
		set, err := settingsOf(list)
		if err != nil {
			return err
		}
		maps.Copy(all, set.members(prefix))
	}
	text, err := json.MarshalIndent(all, "", "  ")
	out.Unset = nil
	out.Set[metadataName] = string(text)
	return err
}
