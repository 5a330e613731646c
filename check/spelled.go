// Spelled names: whether the names of tensors are those of the class that the configuration names.

package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weightools/safetensors/model/names"
)

// bare are the architectures whose published files also lack the prefix: programs add it. (vLLM 0.33.0:
// model_executor/models/opt.py, OPTForCausalLM.)
var bare = []string{"opt"}

// judgePrefix reports names with too little or too much before them for the class in the configuration. The names have
// to be those of a whole model, and the class one of the library's own.
func (m *weights) judgePrefix() {
	of, fit := m.fit()
	if of == nil || len(fit.Missing) > 0 {
		return
	}
	_, class := m.architecture()
	one, ok := of.Class(class)
	if !ok {
		return
	}
	if _, extra := names.WrappersOf(fit.Extra); extra != "" {
		m.judgeExtra(class, extra)
	} else if fit.Lacks != "" && fit.Lacks == one.Prefix && m.wantsPrefix(of, one) {
		m.judgeLacks(class, of, one)
	}
}

// wantsPrefix reports whether loaders need the prefix of a class. Encoders are often published without theirs, and so
// are models that embed texts, which have the list of modules of the library sentence-transformers.
func (m *weights) wantsPrefix(of *names.Architecture, class names.Class) bool {
	return class.Prefix == "model." && !slices.Contains(bare, of.Type) && !m.has(m.beside("modules.json"))
}

// judgeLacks reports names without the prefix of their class.
func (m *weights) judgeLacks(class string, of *names.Architecture, one names.Class) {
	first := make(map[string]bool) // the first words of the names behind the prefix
	for i := range of.Tensors {
		if rest, ok := strings.CutPrefix(of.Tensors[i].Name, one.Prefix); ok {
			word, _, _ := strings.Cut(rest, ".")
			first[word] = true
		}
	}
	var all tally
	var words []string // that occur
	for ti, shard := range m.each() {
		word, _, _ := strings.Cut(ti.Name, ".")
		if !first[word] {
			continue
		}
		if all.Add(ti, shard); !slices.Contains(words, regexp.QuoteMeta(word)) {
			words = append(words, regexp.QuoteMeta(word))
		}
	}
	if all.N == 0 {
		return
	}
	slices.Sort(words)
	rename := "^=>" + one.Prefix
	if all.N < m.tensors {
		rename = "^(" + strings.Join(words, "|") + `)\.=>` + one.Prefix + "$1."
	}
	m.reportSet(RuleNamesPrefix, &all, "lacks", "lack", "the prefix %s of %s, the class in %s: these are the names of the "+
		"model without its head", quote(one.Prefix), class, quote(m.main.Path))
	m.found(m.set.Name).Fix(renameFix(m.set, rename))
}

// judgeExtra reports names with something before them that the class does not have.
func (m *weights) judgeExtra(class, extra string) {
	var all tally
	for ti, shard := range m.each() {
		if strings.HasPrefix(ti.Name, extra) {
			all.Add(ti, shard)
		}
	}
	if all.N == 0 {
		return
	}
	m.reportSet(RuleNamesPrefix, &all, "begins", "begin", "with %s, which the names of %s, the class in %s, do not have",
		quote(extra), class, quote(m.main.Path))
	m.found(m.set.Name).Fix(renameFix(m.set, "^"+regexp.QuoteMeta(extra)+"=>"))
}
