// Alpha: the number that scales an adapter.

package model

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
)

// maxAlphas bounds the scalars that are read. The largest adapters have some thousand modules.
const maxAlphas = 10_000

// alpha finds alpha. It can be a tensor for each module, which loaders prefer; a member of PEFT's
// configuration; or text in the metadata, as written by kohya-ss.
func (f *Facts) alpha(a *Adapter, p *adapterParts, config config.Object) {
	values, why := p.readAlphas()
	said := metadataAlpha(p.metadata())
	switch {
	case len(values) == 1:
		a.Alpha, a.AlphaFrom = values[0], FromTensors
		if said > 0 && said != a.Alpha {
			f.note("alpha is %v in its tensors and %v in ss_network_alpha; loaders use the tensors", a.Alpha, said)
		}
	case len(values) > 1:
		a.AlphaFrom = Ambiguous
		f.note("modules have different alphas: %s", spread(values))
	case why != "":
		if said > 0 {
			a.Alpha, a.AlphaFrom = said, FromMetadata
		}
		f.note("the alphas of the modules are unknown: %s", why)
	default:
		f.configAlpha(a, config, p.metadata(), said)
	}
}

// configAlpha takes alpha from the configuration, or else from the metadata.
func (f *Facts) configAlpha(a *Adapter, config config.Object, metadata map[string]string, said float64) {
	if scale, ok := float(config["lora_parameters"].Object()["scale"].Value.Text()); ok && a.Rank.Value > 0 {
		a.Alpha, a.AlphaFrom = scale*float64(a.Rank.Value), FromPEFT
		f.note("mlx_lm scales the adapter by %v, which is alpha %v at rank %d", scale, a.Alpha, a.Rank.Value)
		return
	}
	if n, ok := float(config["lora_alpha"].Value.Text()); ok {
		a.Alpha, a.AlphaFrom = n, FromPEFT
		if len(config["alpha_pattern"].Object()) > 0 {
			a.Alpha, a.AlphaFrom = 0, Ambiguous
			f.note("alpha is %v, except for the modules named by alpha_pattern", n)
		}
		if on, _ := config["use_rslora"].Bool(); on {
			f.note("the adapter is scaled by alpha / √rank (use_rslora)")
		}
		return
	}
	switch alphas := diffusersAlphas(metadata[diffusersKey]); {
	case len(alphas) == 1:
		a.Alpha, a.AlphaFrom = alphas[0], FromMetadata
	case len(alphas) > 1:
		a.AlphaFrom = Ambiguous
		f.note("modules have different alphas: %s", spread(alphas))
	case said > 0:
		a.Alpha, a.AlphaFrom = said, FromMetadata
	}
}

// diffusersKey is the metadata in which diffusers keeps PEFT's configuration of each component (loaders/lora_base.py,
// 0.42.1).
const diffusersKey = "lora_adapter_metadata"

// diffusersAlphas returns the different alphas in that metadata: of components, and of modules with patterns.
func diffusersAlphas(text string) []float64 {
	different := make(map[float64]bool)
	for name, v := range config.Parse(diffusersKey, []byte(text)).Root {
		values := []config.Value{v}
		if strings.HasSuffix(name, ".alpha_pattern") {
			values = slices.Collect(maps.Values(v.Object()))
		} else if !strings.HasSuffix(name, ".lora_alpha") {
			continue
		}
		for _, v := range values {
			if n, ok := float(v.Value.Text()); ok {
				different[n] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(different))
}

// readAlphas reads the alphas of modules and returns the different values, or why they are unknown.
func (p *adapterParts) readAlphas() (values []float64, why string) {
	different := make(map[float64]bool)
	read := 0
	for m := range p.All() {
		alpha := m.Alpha()
		if alpha == nil {
			continue
		}
		if read++; read > maxAlphas {
			return nil, "there are too many to read"
		}
		file, ti := &p.files[alpha.File], alpha.Info
		at := file.Header.FileSpan(ti)
		if p.remote || file.Data == nil || ti.Size() <= 0 || ti.Size() > 8 || at.Begin < 0 {
			return nil, "their data was not read"
		}
		t := &safetensors.Tensor{TensorInfo: *ti, ReaderAt: io.NewSectionReader(file.Data, at.Begin, at.Len())}
		var one [1]float64
		if n, err := safetensors.DecodeAt(t, one[:], 0); n != 1 {
			return nil, err.Error()
		}
		if math.IsNaN(one[0]) || math.IsInf(one[0], 0) {
			return nil, "one is not a finite number"
		}
		different[one[0]] = true
	}
	return slices.Sorted(maps.Keys(different)), ""
}

// metadataAlpha returns ss_network_alpha, or 0 if there is none.
func metadataAlpha(metadata map[string]string) float64 {
	n, _ := float([]byte(strings.TrimSpace(metadata["ss_network_alpha"])))
	return n
}

// float parses a number that is positive and finite.
func float(text []byte) (float64, bool) {
	if len(text) > 64 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(text), 64)
	return n, err == nil && n > 0 && !math.IsInf(n, 0)
}
