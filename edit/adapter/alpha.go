// Alpha: where each spelling keeps the number that scales a module.

package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// configName is the file of PEFT and of mlx-lm.
const configName = "adapter_config.json"

// metadataName is the metadata of diffusers (loaders/lora_base.py, LORA_ADAPTER_METADATA_KEY, 0.42.1): the
// configuration of PEFT for each component, with names such as "unet.lora_alpha".
const metadataName = "lora_adapter_metadata"

// A config is what adapter_config.json says, of PEFT (tuners/lora/config.py, 0.21.2) or mlx-lm (lora.py, 0.32.2).
type config struct {
	PeftType      string             `json:"peft_type"`
	Base          *string            `json:"base_model_name_or_path"`
	TaskType      *string            `json:"task_type"`
	R             int64              `json:"r"`
	Alpha         *float64           `json:"lora_alpha"`
	AlphaPattern  map[string]float64 `json:"alpha_pattern"`
	RSLoRA        bool               `json:"use_rslora"`
	FanInFanOut   bool               `json:"fan_in_fan_out"`
	ModulesToSave []string           `json:"modules_to_save"`

	Model *string `json:"model"`
	MLX   *struct {
		Scale *float64 `json:"scale"`
	} `json:"lora_parameters"`
}

// readAlphas finds alpha for each module. Tensors count first, as in loaders, and then the configuration of the
// spelling.
func (s *source) readAlphas(in *edit.Input) error {
	if s.spelling == adapters.PEFT || s.spelling == adapters.MLX || s.spelling == adapters.Bare {
		text, err := in.Beside(configName)
		switch {
		case err == nil:
			s.config = new(config)
			if err := json.Unmarshal(text, s.config); err != nil {
				return fmt.Errorf("%s cannot be read: %w", configName, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case s.spelling == adapters.MLX:
			return fmt.Errorf("alpha of an adapter with names of MLX is in %s, and there is none beside it", configName)
		}
	}
	for _, m := range s.modules {
		if m.scalar.is() {
			var one [1]float64
			if n, err := safetensors.DecodeAt(m.scalar.Tensor, one[:], 0); n != 1 {
				return fmt.Errorf("tensor %s cannot be read: %w", wording.Quote(m.scalar.Name), err)
			}
			if m.alpha = one[0]; m.alpha <= 0 || math.IsInf(m.alpha, 0) || math.IsNaN(m.alpha) {
				return fmt.Errorf("tensor %s is %v: alpha is a positive number", wording.Quote(m.scalar.Name), m.alpha)
			}
		}
	}
	said, err := s.configured()
	if err != nil {
		return err
	}
	for _, m := range s.modules {
		if m.alpha == 0 && m.down.is() {
			m.alpha = said(m)
		}
	}
	return nil
}

// configured returns what says alpha of a module that has no tensor for it; 0 means unknown.
func (s *source) configured() (func(*module) float64, error) {
	unknown := func(*module) float64 { return 0 }
	switch c := s.config; {
	case c != nil && c.MLX != nil && c.MLX.Scale != nil:
		return func(m *module) float64 { return *c.MLX.Scale * float64(m.rank()) }, positive(*c.MLX.Scale)
	case c != nil && c.Alpha != nil:
		of, err := patterned(*c.Alpha, c.AlphaPattern)
		if !c.RSLoRA || err != nil {
			return of, err
		}
		return func(m *module) float64 { return of(m) * math.Sqrt(float64(m.rank())) }, nil
	case s.metadata[metadataName] != "":
		return fromMetadata(s.metadata[metadataName])
	}
	return unknown, nil
}

func positive(alpha float64) error {
	if alpha <= 0 || math.IsInf(alpha, 0) {
		return fmt.Errorf("the scale of the adapter is %v: it would change nothing", alpha)
	}
	return nil
}

// patterned returns the alpha of a module: that of the first pattern that matches the end of its path from a dot on, as
// PEFT does it (utils/other.py, get_pattern_key).
func patterned(usual float64, patterns map[string]float64) (func(*module) float64, error) {
	const most = 200 // expressions; there may be any number of plain names
	type pattern struct {
		re    *regexp.Regexp
		alpha float64
	}
	var list []pattern
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		if !strings.ContainsAny(name, `\\*+?()[]{}|^$`) {
			continue
		}
		re, err := regexp.Compile(`^(?:.*\.)?(?:` + name + `)$`)
		if err != nil {
			return nil, fmt.Errorf("alpha_pattern has %s, which is not a regular expression", wording.Quote(name))
		}
		if len(list) == most {
			return nil, fmt.Errorf("alpha_pattern has more than %d regular expressions", most)
		}
		list = append(list, pattern{re, patterns[name]})
	}
	for _, alpha := range patterns {
		if err := positive(alpha); err != nil {
			return nil, err
		}
	}
	return func(m *module) float64 {
		for path := m.path; ; {
			if alpha, ok := patterns[path]; ok {
				return alpha
			}
			_, rest, ok := strings.Cut(path, ".")
			if !ok {
				break
			}
			path = rest
		}
		for _, p := range list {
			if p.re.MatchString(m.path) {
				return p.alpha
			}
		}
		return usual
	}, positive(usual)
}

// fromMetadata reads what diffusers writes into the metadata.
func fromMetadata(text string) (func(*module) float64, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		return nil, fmt.Errorf("%s in the metadata cannot be read: %w", metadataName, err)
	}
	type component struct {
		of     func(*module) float64
		rslora bool
	}
	all := make(map[string]component)
	for name, value := range members {
		part, ok := strings.CutSuffix(name, ".lora_alpha")
		if !ok {
			continue
		}
		var alpha float64
		patterns := make(map[string]float64)
		var rslora bool
		for key, to := range map[string]any{"alpha_pattern": &patterns, "use_rslora": &rslora} {
			if text := members[part+"."+key]; text != nil {
				if err := json.Unmarshal(text, to); err != nil {
					return nil, fmt.Errorf("%s.%s in the metadata cannot be read: %w", part, key, err)
				}
			}
		}
		if err := json.Unmarshal(value, &alpha); err != nil {
			return nil, fmt.Errorf("%s in the metadata cannot be read: %w", name, err)
		}
		of, err := patterned(alpha, patterns)
		if err != nil {
			return nil, err
		}
		all[part+"."] = component{of, rslora}
	}
	return func(m *module) float64 {
		c, ok := all[m.prefix]
		switch {
		case !ok:
			return 0
		case c.rslora:
			return c.of(m) * math.Sqrt(float64(m.rank()))
		}
		return c.of(m)
	}, nil
}
