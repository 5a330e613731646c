// Alpha: what scales an adapter, and where it stands.

package model

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// mostAlphas bounds how many scalars are read. The largest adapters have some
// thousand modules.
const mostAlphas = 10_000

// alpha says what alpha is. Three places can say it: a tensor for each module, which
// loaders go by where there is one; PEFT's configuration; and what kohya-ss keeps in
// the metadata, as the text of a number.
func (f *Facts) alpha(a *Adapter, p *adapterParts, config jsonscan.Value) {
	values, why := p.readAlphas()
	said := metadataAlpha(p.metadata)
	switch {
	case len(values) == 1:
		a.Alpha, a.AlphaFrom = values[0], FromTensors
		if said > 0 && said != a.Alpha {
			f.note("alpha is %v by its tensors, and %v by ss_network_alpha: loaders go by the tensors", a.Alpha, said)
		}
	case len(values) > 1:
		a.AlphaFrom = Ambiguous
		f.note("modules have different alphas: %s", spread(values))
	case len(p.alphas) > 0:
		if said > 0 {
			a.Alpha, a.AlphaFrom = said, FromMetadata
		}
		f.note("modules have alphas of their own: %s", why)
	default:
		f.configAlpha(a, config, said)
	}
}

// configAlpha takes alpha from the configuration, or else from the metadata.
func (f *Facts) configAlpha(a *Adapter, config jsonscan.Value, said float64) {
	if n, ok := float(config.Get("lora_alpha").Text()); ok {
		a.Alpha, a.AlphaFrom = n, FromPEFT
		for range config.Get("alpha_pattern").Members() {
			a.Alpha, a.AlphaFrom = 0, Ambiguous
		}
		if a.AlphaFrom == Ambiguous {
			f.note("alpha is %v, and another for modules that alpha_pattern names", n)
		}
		if on, _ := config.Get("use_rslora").Bool(); on {
			f.note("the adapter is scaled by alpha / √rank (use_rslora)")
		}
		return
	}
	if said > 0 {
		a.Alpha, a.AlphaFrom = said, FromMetadata
	}
}

// readAlphas reads the alphas of modules, and returns those that differ; or why they
// are not known.
func (p *adapterParts) readAlphas() (values []float64, why string) {
	if len(p.alphas) > mostAlphas {
		return nil, "they are too many to be read"
	}
	different := make(map[float64]bool)
	for _, s := range p.alphas {
		at := s.file.Header.FileSpan(s.ti)
		if s.file.Data == nil || s.ti.Size() <= 0 || s.ti.Size() > 8 || at.Begin < 0 {
			return nil, "they were not read"
		}
		t := &safetensors.Tensor{TensorInfo: *s.ti, ReaderAt: io.NewSectionReader(s.file.Data, at.Begin, at.Len())}
		var one [1]float64
		if n, err := safetensors.DecodeAt(t, one[:], 0); n != 1 {
			return nil, err.Error()
		}
		if math.IsNaN(one[0]) || math.IsInf(one[0], 0) {
			return nil, "one is no finite number"
		}
		different[one[0]] = true
	}
	return slices.Sorted(maps.Keys(different)), ""
}

// metadataAlpha returns ss_network_alpha, 0 if there is none.
func metadataAlpha(metadata map[string]string) float64 {
	n, _ := float([]byte(strings.TrimSpace(metadata["ss_network_alpha"])))
	return n
}

// float returns a number that is positive and finite.
func float(text []byte) (float64, bool) {
	if len(text) > 64 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(text), 64)
	return n, err == nil && n > 0 && !math.IsInf(n, 0)
}
