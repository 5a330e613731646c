// Adapters and their configuration, adapter_config.json.

package adapter

import (
	"regexp"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/adapters"
)

// judgeConfig compares the tensors with adapter_config.json of PEFT.
func (a *Adapter) judgeConfig(m Subject) {
	file, root := m.Configured()
	if root.Text("peft_type") != "LORA" {
		return
	}
	a.judgeRank(m, file, root)
	a.judgeTargets(m, file, root)
	alpha := root["lora_alpha"]
	if n, ok := alpha.Int(); ok && n == 0 && len(root.First("alpha_pattern").Object()) == 0 {
		m.Found(file).Add(rule.AdapterAlpha, "", rule.SpanOf(alpha),
			"%s has lora_alpha 0, which scales the adapter by 0: it changes nothing", wording.Quote(file))
	}
}

// judgeRank compares the ranks with those of the configuration.
func (a *Adapter) judgeRank(m Subject, file string, root config.Object) {
	r, ok := root.First("r").Int()
	if !ok || root.First("target_parameters").Kind() != 0 {
		return
	}
	ranks, ok := patternsOf(root.First("rank_pattern").Object())
	if !ok {
		return
	}
	var odd rule.Tally
	var rank, want int64
	for one := range a.All() {
		down, n := one.Down(), one.Rank()
		if down == nil || n == 0 || !hasPairs(one) {
			continue
		}
		said := ranks.of(one.Name.Path, r)
		if n == said {
			continue
		}
		if odd.N == 0 {
			rank, want = n, said
		}
		odd.Add(down.Info, down.File)
	}
	if odd.N == 0 {
		return
	}
	from := root.First("r")
	if want != r {
		from = root.First("rank_pattern")
		m.Found(file).Add(rule.AdapterRank, "", rule.SpanOf(from), "%s has rank %d in rank_pattern, but %s rank %d",
			wording.Quote(file), want, odd.Subject("has", "have"), rank)
		return
	}
	m.Found(file).Add(rule.AdapterRank, "", rule.SpanOf(from), "%s has %s, but %s rank %d",
		wording.Quote(file), from.Sentence(), odd.Subject("has", "have"), rank)
}

// patterns are the values of rank_pattern. PEFT takes the first whose name matches the end of a module's name, from a
// dot on (utils/other.py, get_pattern_key, at 0.21.2).
type patterns struct {
	exact map[string]int64
	rest  []pattern
}

type pattern struct {
	re   *regexp.Regexp
	rank int64
}

// patternsOf reads rank_pattern. It fails for what cannot be judged: too many expressions, or one that Go does not
// know.
func patternsOf(o config.Object) (p patterns, ok bool) {
	const most = 100
	p.exact = make(map[string]int64)
	for name, v := range o {
		n, ok := v.Int()
		if !ok {
			return p, false
		}
		if !strings.ContainsAny(name, `\*+?()[]{}|^$`) {
			p.exact[name] = n
			continue
		}
		re, err := regexp.Compile(`^(?:.*\.)?(?:` + name + `)$`)
		if err != nil || len(p.rest) == most {
			return p, false
		}
		p.rest = append(p.rest, pattern{re, n})
	}
	return p, true
}

// of returns the rank for a module.
func (p *patterns) of(module string, usual int64) int64 {
	for at := 0; ; {
		if n, ok := p.exact[module[at:]]; ok {
			return n
		}
		dot := strings.IndexByte(module[at:], '.')
		if dot < 0 {
			break
		}
		at += dot + 1
	}
	for _, one := range p.rest {
		if one.re.MatchString(module) {
			return one.rank
		}
	}
	return usual
}

// judgeTargets reports modules that are not in target_modules. PEFT makes no adapter for them, and drops their matrices
// without an error.
func (a *Adapter) judgeTargets(m Subject, file string, root config.Object) {
	targets := make(map[string]bool)
	list := root.First("target_modules")
	if list.Kind() != jsonscan.Array || root.First("layers_to_transform", "exclude_modules").Kind() != 0 {
		return
	}
	for e := range list.Elements() {
		name, ok := e.Str()
		if !ok {
			return
		}
		targets[name] = true
	}
	for e := range root.First("modules_to_save").Elements() {
		name, _ := e.Str()
		targets[name] = true
	}
	var outside rule.Tally
	for one := range a.All() {
		if down := one.Down(); down != nil && hasPairs(one) && one.Name.Spelling == adapters.PEFT &&
			!isTarget(targets, one.Name.Path) {
			outside.Add(down.Info, down.File)
		}
	}
	if outside.N == 0 || len(targets) == 0 || root.First("target_parameters").Kind() != 0 {
		return
	}
	m.Found(file).Add(rule.AdapterTarget, "", rule.SpanOf(list),
		"%s that target_modules in %s does not name: PEFT drops these matrices",
		outside.Subject("is of a module", "are of modules"), wording.Quote(file))
}

// isTarget reports whether a module is named by target_modules: by its name, or by the end of it from a dot on.
func isTarget(targets map[string]bool, module string) bool {
	for at := 0; ; {
		if targets[module[at:]] {
			return true
		}
		dot := strings.IndexByte(module[at:], '.')
		if dot < 0 {
			return false
		}
		at += dot + 1
	}
}
