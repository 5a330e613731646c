// Tags of YAML: PyYAML and other readers create objects and call functions for them.

package texts

import (
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
	"github.com/weightools/safetensors/pickle/scan/internal/yaml"
)

// python is the prefix of the tags of PyYAML.
const python = yaml.Standard + "python/"

// isPlain reports whether a kind of PyYAML's tags marks data.
func isPlain(kind string) bool {
	switch kind {
	case "none", "bool", "str", "unicode", "bytes", "int", "long", "float", "complex", "list", "tuple", "dict":
		return true
	}
	return false
}

// javaClass matches the name of a Java class with its package.
var javaClass = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\.[A-Z][A-Za-z0-9_$]*$`)
})

// yaml examines a text as YAML and reports whether it is valid.
func (r *Reader) yaml(text []byte, at int64) bool {
	y := settings.YAML{Walker: *r.Walker()}
	found := y.Found
	y.Found = func(f settings.Finding) {
		f.At += at
		found(f)
	}
	r.inYAML = true
	y.Read(text)
	r.inYAML = false
	for _, t := range y.Tags {
		t.At += at
		r.tag(&t)
	}
	if y.Crowded {
		r.Gap(at, "the text has more different tags or anchors than are followed")
	}
	return y.Invalid == nil
}

// tag reports a tag.
func (r *Reader) tag(t *settings.Tag) {
	if rest, ok := strings.CutPrefix(t.Name, python); ok {
		r.pythonTag(rest, t)
		return
	}
	rest, global := strings.CutPrefix(t.Name, yaml.Standard)
	switch {
	case strings.HasPrefix(t.Name, "!ruby/"), strings.HasPrefix(t.Name, "!php/"), global && strings.HasPrefix(rest, "js/"),
		global && strings.HasPrefix(rest, "ruby/"), global && strings.HasPrefix(rest, "perl/"):
	case global && t.Certain && javaClass().MatchString(rest): // for SnakeYAML
	default:
		return
	}
	r.count(pickle.Finding{Rule: RuleYAMLTag, Severity: pickle.Warning, Offset: t.At,
		Message: "the tag " + quoted(t.Name) + ": some readers of YAML create an object of it"}, t)
}

// count reports a finding with the number of its occurrences.
func (r *Reader) count(f pickle.Finding, t *settings.Tag) {
	f.Count = int64(t.Count)
	r.Add(f)
}

// pythonTag reports a tag of PyYAML.
func (r *Reader) pythonTag(rest string, t *settings.Tag) {
	kind, name, _ := strings.Cut(rest, ":")
	if isPlain(kind) {
		return
	}
	tag := quoted("!!python/" + rest)
	if !t.Certain {
		r.count(pickle.Finding{Rule: RuleYAMLTag, Severity: pickle.Warning, Offset: t.At,
			Message: "the tag " + tag + " is in a text that PyYAML refuses; other readers may create an object of it"}, t)
		return
	}
	v := pickle.Suspicious
	what := "loading creates an object of it, except with a safe loader"
	switch kind {
	case "object/apply", "object/new", "object":
		v = max(v, r.judge(name))
		if kind != "object" {
			what = "loading imports and calls it, except with a safe loader"
		}
	case "name":
		v = max(v, r.judge(name))
		what = "loading imports it, except with a safe loader"
	case "module":
		v = max(v, r.module(name))
		what = "loading imports it, except with a safe loader"
	}
	rule := RuleYAMLTag
	if v == pickle.Dangerous {
		rule = RuleYAMLCall
	}
	r.count(pickle.Finding{Rule: rule, Severity: severity(v), Offset: t.At, Message: "the tag " + tag + ": " + what}, t)
	if name != "" {
		r.Imports(Import{name, "tag", t.At, v, rule})
	}
}
