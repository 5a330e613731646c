// Modules: which are packed, and whether the configuration leaves the others out.

package load

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// A module is a matrix in one layer of many.
type module struct {
	name   string
	packed bool
	first  *safetensors.TensorInfo
	file   string
}

// leaves are the last elements of names of tensors that only a packed matrix has.
var leaves = []string{"qweight", "weight_packed", "scales", "weight_scale", "weight_scale_inv"}

// judgeModules reports matrices that are plain although the configuration does not leave them out, and packed ones
// that it leaves out.
func judgeModules(_ context.Context, m *Model) {
	if m.Adapter || !m.Described || !m.Complete || m.Quant == nil {
		return
	}
	left, ok := m.leftOut()
	if !ok {
		return
	}
	kinds := m.modules()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		m.judgeKind(kinds[kind], left)
	}
	if left.exact && (m.Method == "fp8" || m.Method == "compressed-tensors") {
		m.judgeFused(kinds)
	}
}

// A list is what the configuration leaves out: parts of names, patterns, and what cannot be interpreted here.
type list struct {
	names    map[string]bool
	parts    []string
	patterns []*regexp.Regexp
	exact    bool // every entry was understood
}

// maxPatterns bounds the patterns that are tried. Configurations list every module at most.
const maxPatterns = 1000

// leftOut reads the modules that the configuration leaves out. It returns false if other settings select modules.
func (m *Model) leftOut() (*list, bool) {
	q := m.Quant
	var names config.Value
	switch m.Method {
	case "compressed-tensors", "compressed_tensors":
		for _, g := range q.First("config_groups").Object() {
			for target := range g.Get("targets").Elements() {
				if word, _ := target.Str(); word != "Linear" {
					return nil, false
				}
			}
		}
		names = q.First("ignore")
	case "fp8":
		names = q.First("modules_to_not_convert", "ignored_layers")
	case "awq":
		names = q.First("modules_to_not_convert")
	case "gptq":
		if q.First("modules_in_block_to_quantize", "dynamic").Kind() != 0 {
			return nil, false
		}
	default:
		return nil, false
	}
	l := &list{names: make(map[string]bool), exact: true}
	for e := range names.Elements() {
		l.add(e)
	}
	return l, true
}

// add adds an entry.
func (l *list) add(e interface{ Str() (string, bool) }) {
	text, ok := e.Str()
	pattern, is := strings.CutPrefix(text, "re:")
	switch {
	case !ok || text == "":
	case is:
		re, err := regexp.Compile(pattern) // linear in the length of a name
		if err != nil || len(pattern) > 1000 || len(l.patterns) >= maxPatterns {
			l.exact = false
			return
		}
		l.patterns = append(l.patterns, re)
	case strings.ContainsAny(text, "*?["):
		l.exact = false
	default:
		l.names[tail(text)] = true
		if !strings.Contains(text, ".layers.") && len(l.parts) < maxPatterns {
			l.parts = append(l.parts, text)
		}
	}
}

// tail returns a name from its layer on, because lists and files differ in what comes before.
func tail(name string) string {
	if i := strings.Index(name, "layers."); i >= 0 {
		return name[i:]
	}
	return name
}

// has reports whether the list leaves a module out, or may do so.
func (l *list) has(name string) bool {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if l.names[tail(name[:end])] {
			return true
		}
	}
	return !l.exact || slices.ContainsFunc(l.parts, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(l.patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// modules returns the matrices of layers, by what follows the number of the layer.
func (m *Model) modules() map[string][]*module {
	kinds := make(map[string][]*module)
	known := make(map[string]*module)
	for file, ti := range m.Tensors() {
		dot := strings.LastIndexByte(ti.Name, '.')
		if dot < 0 {
			continue
		}
		name, leaf := ti.Name[:dot], ti.Name[dot+1:]
		packs := slices.Contains(leaves, leaf)
		if !packs && (leaf != "weight" || len(ti.Shape) != 2) {
			continue
		}
		one := known[name]
		if one == nil {
			stack, number, rest := parts.Layer(name)
			if number < 0 || !strings.HasSuffix(stack, "layers") || strings.Contains(rest, "norm") {
				continue
			}
			if _, expert := parts.Expert(rest); expert {
				rest = rest[:strings.Index(rest, "experts.")] + "experts" + rest[strings.LastIndexByte(rest, '.'):]
			}
			one = &module{name: name, first: ti, file: file}
			known[name], kinds[stack+" "+rest] = one, append(kinds[stack+" "+rest], one)
		}
		if isScale(one.first.Name) {
			one.first, one.file = ti, file
		}
		one.packed = one.packed || packs
	}
	return kinds
}

// isScale reports whether a tensor has scales. Messages name the weight, if possible.
func isScale(name string) bool {
	return strings.Contains(name[strings.LastIndexByte(name, '.')+1:], "scale")
}

// judgeKind compares modules of one kind with the list.
func (m *Model) judgeKind(kind []*module, left *list) {
	var plain, listed *module
	packed, plains, lists := 0, 0, 0
	for _, one := range kind {
		switch {
		case one.packed:
			if packed++; left.names[tail(one.name)] {
				if lists++; lists == 1 {
					listed = one
				}
			}
		case parts.KindOf(one.first.Dtype) == parts.Float && !left.has(one.name):
			if plains++; plains == 1 {
				plain = one
			}
		}
	}
	at := Fault{Rule: rule.QuantModules}
	if plains > 0 && packed > 0 {
		at.File, at.Tensor, at.Span = plain.file, plain.first.Name, plain.first.Entry
		m.Add(at, m.For(python...), "%s of the same kind, the first %s, %s plain, %s packed, and %s does not leave them out",
			wording.Count(plains, "module"), wording.Quote(plain.name), isAre(plains), wording.Count(packed, "other"),
			m.quoted())
	}
	if lists > 0 {
		at.File, at.Tensor, at.Span = listed.file, listed.first.Name, listed.first.Entry
		m.Add(at, m.For(python...), "%s that %s leaves out %s packed, the first %s", wording.Count(lists, "module"),
			m.quoted(), isAre(lists), wording.Quote(listed.name))
	}
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// fused are the modules that vLLM and SGLang load into one.
var fused = [][]string{{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, {"mlp.gate_proj", "mlp.up_proj"}}

// judgeFused reports a layer in which only some of the modules that programs fuse are packed.
func (m *Model) judgeFused(kinds map[string][]*module) {
	for _, group := range fused {
		layers := make(map[string][]*module) // by stack and number
		for key, kind := range kinds {
			_, rest, _ := strings.Cut(key, " ")
			if !slices.Contains(group, rest) {
				continue
			}
			for _, one := range kind {
				of := strings.TrimSuffix(one.name, rest)
				layers[of] = append(layers[of], one)
			}
		}
		for _, of := range slices.Sorted(maps.Keys(layers)) {
			one := layers[of]
			i := slices.IndexFunc(one, func(x *module) bool { return x.packed })
			j := slices.IndexFunc(one, func(x *module) bool { return !x.packed })
			if i >= 0 && j >= 0 {
				at := Fault{Rule: rule.QuantModules, File: one[j].file, Tensor: one[j].first.Name, Span: one[j].first.Entry}
				m.Add(at, m.For(loader.VLLM), "%s is plain, and %s, which is loaded into the same matrix, is packed",
					wording.Quote(one[j].name), wording.Quote(one[i].name))
				break
			}
		}
	}
}
