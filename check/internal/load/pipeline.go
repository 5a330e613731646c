// Pipelines: the components that model_index.json names, as diffusers loads them.

package load

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

const pipelineName = "model_index.json"

// A pipeline is a folder with a model_index.json.
type pipeline struct {
	*Repository
	folder string
	index  JSON
	lone   map[string][]string // the components that exist only in a variant, such as fp16
}

// judgePipelines judges each pipeline, and each folder of a single component.
func judgePipelines(ctx context.Context, r *Repository) {
	if r.Sizes == nil || len(r.For(loader.Diffusers)) == 0 {
		return
	}
	for _, file := range r.Names {
		if path.Base(file) != pipelineName {
			continue
		}
		folder := tree.FolderOf(file)
		p := &pipeline{Repository: r, folder: folder, index: r.JSON(ctx, folder, pipelineName),
			lone: make(map[string][]string)}
		if p.index.Root != nil {
			p.judge(ctx)
		}
	}
	for _, m := range r.Sets {
		folder := m.Folder()
		class := m.Main.Root.Text("_class_name")
		if known := facts.Diffusers()[class]; known.Has("model") && m.Set.Counted() && !m.Single &&
			!r.Has(path.Join(tree.FolderOf(folder), pipelineName)) {
			alone := &pipeline{Repository: r, folder: folder, lone: make(map[string][]string)}
			alone.judgeWeights(component{folder: folder, class: class, file: m.ConfigPath}, facts.OfDiffusers)
			alone.judgeLone(m.ConfigPath)
		}
	}
}

// A component is one member of model_index.json.
type component struct {
	name, library, class string
	folder               string
	file                 string // with which faults are reported
	at                   safetensors.Span
}

// judge judges a pipeline.
func (p *pipeline) judge(ctx context.Context) {
	root := p.index.Root
	v := root.First("_class_name")
	class, _ := v.Str()
	known, ok := facts.Diffusers()[class]
	custom := slices.ContainsFunc(p.In(p.folder), func(name string) bool { return strings.HasSuffix(name, ".py") })
	if !ok && class != "" && !custom {
		p.unknown(Fault{File: p.index.Path, Span: rule.SpanOf(v)}, "the pipeline", class)
	}
	for _, name := range known.Needs() {
		if one := root.First(name); one.Kind() != 0 && !isNull(one.Value) {
			continue
		}
		p.Add(Fault{Rule: rule.PipelineComponent, File: p.index.Path, Span: rule.SpanOf(v)}, p.For(loader.Diffusers),
			"model_index.json names no %s, which %s needs", wording.Quote(name), class)
	}
	for _, name := range slices.Sorted(maps.Keys(root)) {
		v := root[name]
		if strings.HasPrefix(name, "_") || v.Kind() != jsonscan.Array || isNull(v.Value) {
			continue
		}
		one := component{name: name, folder: path.Join(p.folder, name), file: p.index.Path, at: rule.SpanOf(v)}
		one.library, one.class = pair(v)
		if one.class != "" {
			p.judgeComponent(one)
		}
	}
	p.judgeLone(p.index.Path)
}

// pair returns the library and the class of a component.
func pair(v config.Value) (library, class string) {
	i := 0
	for e := range v.Elements() {
		text, _ := e.Str()
		switch i {
		case 0:
			library = text
		case 1:
			class = text
		}
		i++
	}
	return library, class
}

// isNull reports whether a component is null, or a pair of nulls.
func isNull(v jsonscan.Value) bool {
	for e := range v.Elements() {
		return e.Kind() == jsonscan.Null
	}
	return v.Kind() == jsonscan.Null
}

// unknown reports a class that diffusers does not have.
func (p *pipeline) unknown(at Fault, what, class string) {
	info, _ := loader.Lookup(loader.Diffusers)
	at.Rule = rule.ModelUnknown
	p.Add(at, p.For(loader.Diffusers), "the class of %s is %s, which is not among those of %s %s", what,
		wording.Quote(class), info.Title, info.Version)
}

// judgeComponent reports what a component lacks.
func (p *pipeline) judgeComponent(c component) {
	if !p.HasBelow(c.folder) {
		p.lacks(c, "there is no folder of this name")
		return
	}
	custom := p.Has(path.Join(c.folder, c.library+".py"))
	known, ok := facts.Diffusers()[strings.TrimPrefix(c.class, "FlashPack")]
	switch {
	case custom:
	case c.library == "diffusers" && !ok:
		p.unknown(Fault{File: c.file, Span: c.at}, wording.Quote(c.name), c.class)
	case known.Has("scheduler"):
		p.judgeFile(c, "scheduler_config.json")
	case c.library == "diffusers" && known.Has("model"):
		p.judgeFile(c, configName)
		p.judgeWeights(c, facts.OfDiffusers)
	case c.library == "transformers" && strings.Contains(c.class, "Tokenizer"):
		p.judgeFile(c, vocabularies...)
	case c.library == "transformers" && (strings.HasSuffix(c.class, "ImageProcessor") ||
		strings.HasSuffix(c.class, "ImageProcessorFast") || strings.HasSuffix(c.class, "FeatureExtractor")):
		p.judgeFile(c, "preprocessor_config.json", "processor_config.json")
	case c.library == "transformers" && !strings.Contains(c.class, "Process"), c.class == "StableDiffusionSafetyChecker":
		p.judgeFile(c, configName)
		p.judgeWeights(c, facts.OfTransformers)
	}
}

// judgeFile reports that a component has none of some files.
func (p *pipeline) judgeFile(c component, names ...string) {
	if !slices.ContainsFunc(names, func(name string) bool { return p.Has(path.Join(c.folder, name)) }) {
		p.lacks(c, "its folder has no "+names[0])
	}
}

// lacks reports what a component lacks.
func (p *pipeline) lacks(c component, what string) {
	p.Add(Fault{Rule: rule.PipelineComponent, File: c.file, Span: c.at}, p.For(loader.Diffusers),
		"the component %s is %s of %s, and %s", wording.Quote(c.name), wording.Quote(c.class), c.library, what)
}

// judgeWeights reports a component without weights under a name that its library looks for.
func (p *pipeline) judgeWeights(c component, w facts.Weights) {
	var variants []string
	other := ""
	for _, name := range p.In(c.folder) {
		switch variant, ok := w.Variant(name); {
		case slices.Contains(w.Names, name), strings.HasPrefix(name, w.Stem+"-") && strings.Contains(name, "-of-") && !ok:
			return // without an index, the rule index-missing is about it
		case ok && !slices.Contains(variants, variant):
			variants = append(variants, variant)
		case strings.HasSuffix(name, ".safetensors") || strings.HasSuffix(name, ".bin"):
			other = name
		}
	}
	switch {
	case len(variants) > 0:
		p.lone[strings.Join(variants, ", ")] = append(p.lone[strings.Join(variants, ", ")], c.name)
	case c.name == "":
		p.Add(Fault{Rule: rule.WeightsNotFound, File: c.file}, p.For(loader.Diffusers),
			"there is %s, but no %s.safetensors", wording.Quote(other), w.Stem)
	case other != "":
		p.lacks(c, "its folder has "+wording.Quote(other)+", and no "+w.Stem+".safetensors")
	default:
		p.lacks(c, "its folder has no weights")
	}
}

// judgeLone reports components that exist only in a variant.
func (p *pipeline) judgeLone(file string) {
	for _, variant := range slices.Sorted(maps.Keys(p.lone)) {
		names := p.lone[variant]
		which := "the weights exist"
		if names[0] != "" {
			which = wording.Count(len(names), "component") + ", the first " + wording.Quote(names[0]) + ", exist"
			if len(names) == 1 {
				which = "the component " + wording.Quote(names[0]) + " exists"
			}
		}
		p.Add(Fault{Rule: rule.VariantOnly, File: file, Fix: "Pass variant=\"" + variant + "\" to from_pretrained."},
			p.For(loader.Diffusers), "%s only in the variant %s", which, wording.Quote(variant))
	}
}
