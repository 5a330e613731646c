// Counting: every tensor gets a rule, and the rules are added up.

package model

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// A Model is what is to be counted.
type Model struct {
	// Files are those of one model. Of tensors of one name in two files, the second
	// is a duplicate.
	Files []File

	// Config and ModelOpt are the texts of config.json and hf_quant_config.json, nil
	// if there is none.
	Config, ModelOpt []byte

	// Adapter is the text of adapter_config.json, nil if there is none.
	Adapter []byte

	// Only says which tensors are counted; nil means all. The others may still tell
	// how those are packed.
	Only func(*safetensors.TensorInfo) bool

	// MaxReads is how many times Data is read at most. 0 means 10,000. Parallel is how
	// many of these reads go on at once, of one file or of several. 0 means 1.
	MaxReads, Parallel int
}

// A File is one file of a model.
type File struct {
	Header *safetensors.Header // must not be nil

	// Data is the whole file, nil if only its header is at hand. Of it are read the few
	// tensors that say a shape or a format which no header tells, and only where that is
	// needed: those of up to 64 KiB, and 16 MiB of a model.
	Data io.ReaderAt
}

// A counter counts one model.
type counter struct {
	*Model
	files  []File
	config *config
	notes  notes

	entries []entry
	modules map[string]int32 // the last entry of each module
	order   []string         // their names, in the order in which they were found
}

// Count counts a model. It has no error: what cannot be read is a note, and is not
// known.
func Count(m *Model) *Counts {
	return m.count().total()
}

// Judge yields the tensors of a model in the order of its files, each with what was
// found out about it. Only does not keep any from being yielded.
func Judge(m *Model) iter.Seq2[*safetensors.TensorInfo, *Verdict] {
	return func(yield func(*safetensors.TensorInfo, *Verdict) bool) {
		c := m.count()
		for i := range c.entries {
			if e := &c.entries[i]; !yield(e.ti, &e.Verdict) {
				return
			}
		}
	}
}

// count gives every tensor a rule.
func (m *Model) count() *counter {
	c := &counter{Model: m, files: m.Files, modules: make(map[string]int32)}
	c.config = parseConfigs(m.Config, m.ModelOpt, &c.notes)
	c.readComfy()
	c.collect()
	c.judge()
	c.findTwins()
	return c
}

// readComfy reads the formats that ComfyUI keeps in the metadata.
func (c *counter) readComfy() {
	for i := range c.files {
		v, err := jsonscan.Parse([]byte(c.files[i].Header.Metadata["_quantization_metadata"]))
		if err != nil {
			continue
		}
		for name, layer := range v.Get("layers").Members() {
			if format, ok := layer.Get("format").Str(); ok {
				if c.config.comfy == nil {
					c.config.comfy = make(map[string]string)
				}
				c.config.comfy[name] = format
			}
		}
	}
}

// collect makes an entry of each tensor. Those that by name or dtype may be part of
// a packed weight are put into modules; of a model that is not packed, none are.
func (c *counter) collect() {
	n := 0
	for i := range c.files {
		n += len(c.files[i].Header.Tensors)
	}
	c.entries = make([]entry, 0, n)
	for i := range c.files {
		tensors := c.files[i].Header.Tensors
		for j := range tensors {
			ti := &tensors[j]
			e := entry{ti: ti, file: int32(i), next: -1, kind: kindOf(ti.Dtype)}
			var module string
			module, e.role = split(ti.Name)
			c.entries = append(c.entries, e)
			if e.role != weight || e.kind != isFloat {
				c.put(int32(len(c.entries)-1), module)
			}
		}
	}
	if len(c.modules) == 0 {
		return
	}
	// A float may still hold packed bytes, or be the weight that is packed beside it.
	for i := range c.entries {
		e := &c.entries[i]
		if e.role != weight || e.kind != isFloat {
			continue
		}
		if module, ok := strings.CutSuffix(e.ti.Name, ".weight"); ok {
			if _, known := c.modules[module]; known {
				c.put(int32(i), module)
			}
		}
	}
}

// put puts an entry into its module.
func (c *counter) put(i int32, module string) {
	last, ok := c.modules[module]
	if ok {
		c.entries[i].next = last
	} else {
		c.order = append(c.order, module)
	}
	c.modules[module] = i
}

// judge gives each entry its rule: modules first, and then what is part of none.
func (c *counter) judge() {
	m := module{files: c.files, notes: &c.notes, texts: c.readTexts()}
	packed := c.config.method != "" // a scale of an activation may then be alone
	for _, name := range c.order {
		c.assemble(&m, name)
		s, e, v := m.match(c.config)
		if s == nil {
			continue
		}
		packed = true
		e.Rule, e.Scheme, e.Params, e.Bits, e.Why = s.rule, cmp.Or(v.name, s.name), v.n, v.bits, v.why
		if e.Params.Exact() {
			e.Why = ""
		}
		c.keepBooks(c.modules[name], e)
	}
	any := packed
	for i := range c.entries {
		e := &c.entries[i]
		if e.Rule == "" {
			c.alone(e, packed)
		}
		any = any || e.Params.High > 0
	}
	if !any {
		c.countIndices()
	}
}

// assemble puts the parts of a module together.
func (c *counter) assemble(m *module, name string) {
	m.name, m.parts = name, [roleCount]*entry{}
	// The chain runs from the last to the first, which is the one that stays if
	// there are two of one role: copies in several files.
	for i := c.modules[name]; i >= 0; i = c.entries[i].next {
		m.parts[c.entries[i].role] = &c.entries[i]
	}
}

// countIndices counts the integers of a file that has nothing else: it is these that
// it was made for.
func (c *counter) countIndices() {
	for i := range c.entries {
		if e := &c.entries[i]; e.Rule == RuleIndex {
			e.Rule, e.Params, e.Bits = RulePlain, exactly(e.stored()), e.width()
		}
	}
}

// keepBooks gives the parts of a module, but for that which has the values, the rule
// that they have none.
func (c *counter) keepBooks(first int32, values *entry) {
	for i := first; i >= 0; i = c.entries[i].next {
		switch e := &c.entries[i]; {
		case e == values:
		case e.role > firstExtra:
			e.Rule = RuleBookkeeping
		case e.role == values.role && e.ti.Name == values.ti.Name && slices.Equal(e.ti.Shape, values.ti.Shape):
			// The same in another file: findCopies will see that.
			e.Rule, e.Scheme, e.Params, e.Bits, e.Why = values.Rule, values.Scheme, values.Params, values.Bits, values.Why
		case e.role == weight && e.kind == isFloat: // what the packed one was made from
			e.Rule, e.Params = RulePlain, exactly(e.stored())
			e.Twin = values.ti.Name
		}
	}
}

// alone gives a rule to an entry that is part of no packed weight. packed says
// whether others are.
func (c *counter) alone(e *entry, packed bool) {
	switch {
	case !countable(e.ti.Shape):
		e.Rule = RuleUnreadable
	case e.kind == isE8M0:
		e.Rule = RuleScaleDtype
	case isBuffer(e.ti.Name):
		e.Rule = RuleBuffer
	case isMask(e.ti):
		e.Rule = RuleMask
	case packed && (e.role == activation || e.role == extra) && e.stored() <= 1:
		e.Rule = RuleBookkeeping
	case e.kind&(is64|isBool) != 0, e.kind&isInteger != 0 && len(e.ti.Shape) <= 1 && !isWeight(e.ti.Name):
		e.Rule = RuleIndex
	case e.kind&isInteger != 0:
		e.Rule, e.Why = RuleUnknown, "integers that are packed in no way that is known"
		if isWeight(e.ti.Name) {
			e.Params.Low = e.stored()
		}
		e.Params.High = times(e.stored(), e.width())
	default:
		e.Rule, e.Params, e.Bits = RulePlain, exactly(e.stored()), e.width()
	}
}

// isWeight says whether a tensor is called a weight.
func isWeight(name string) bool { return strings.HasSuffix(name, "weight") }

// buffers are what is stored beside parameters, and not trained.
var buffers = map[string]bool{
	"position_ids": true, "token_type_ids": true, "num_batches_tracked": true, "running_mean": true, "running_var": true,
	"inv_freq": true, "original_inv_freq": true, "masked_bias": true, "relative_position_index": true, "relative_coords_table": true,
	"attn_mask": true, "causal_mask": true, "freqs_cis": true, "cos_cached": true, "sin_cached": true, "tid2eid": true,
	// Latent diffusion keeps the schedule of its noise, at the top of the names.
	"betas": true, "alphas_cumprod": true, "alphas_cumprod_prev": true, "sqrt_alphas_cumprod": true, "sqrt_one_minus_alphas_cumprod": true,
	"log_one_minus_alphas_cumprod": true, "sqrt_recip_alphas_cumprod": true, "sqrt_recipm1_alphas_cumprod": true,
	"posterior_variance": true, "posterior_log_variance_clipped": true, "posterior_mean_coef1": true, "posterior_mean_coef2": true,
	"spiece_model": true, "tekken_model": true, "scaled_fp8": true,
	"forward_hadamard_matrix": true, "backward_hadamard_matrix": true, // FP-Quant
}

// isBuffer says whether a name is that of a buffer.
func isBuffer(name string) bool { return buffers[name[strings.LastIndexByte(name, '.')+1:]] }

// isMask says whether a tensor is a causal mask, which GPT-2 and its kin keep.
func isMask(ti *safetensors.TensorInfo) bool {
	s := ti.Shape
	return len(s) == 4 && s[0] == 1 && s[1] == 1 && s[2] == s[3] && s[2] > 1 && strings.HasSuffix(ti.Name, ".bias")
}
