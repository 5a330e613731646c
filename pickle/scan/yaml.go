// YAML: tags by which PyYAML creates Python objects and calls functions.

package scan

import (
	"bytes"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/yaml"
)

// callTags are the tags that import a name and call or return it (constructor.py of PyYAML).
// They are followed by ":" and the name.
var callTags = []string{"object/apply", "object/new", "name", "module"}

// isYAML reports whether a part is YAML. Its name must say so: YAML has no magic number.
func (p *part) isYAML(head []byte) bool {
	switch extensionOf(p.name) {
	case ".yaml", ".yml":
		return filetype.IsText(config.UTF8(head))
	}
	return false
}

// yaml searches a YAML text for tags and for Keras models with code.
func (p *part) yaml() error {
	p.format = "yaml"
	if p.size > mostConfig || !p.spend(4*costJSON*p.size) {
		p.overBudget(0, "the text has %s, more than are read", bytesOf(p.size))
		return nil
	}
	text := make([]byte, p.size)
	if err := bytesio.ReadFull(p.file, text, 0); err != nil {
		return err
	}
	y := yaml.New(yamlJudge{p})
	text = config.UTF8(text)
	for _, end := range [...]string{"\u0085", "\u2028", "\u2029"} { // line ends in YAML 1.1
		text = bytes.ReplaceAll(text, []byte(end), []byte("\n  ")[:len(end)])
	}
	for at := 0; at < len(text) && p.left > 0; {
		line := text[at:]
		if end := bytes.IndexAny(line, "\n\r"); end >= 0 {
			line = line[:end]
		}
		y.Line(line, int64(at))
		at += len(line) + 1
	}
	if p.left <= 0 {
		p.overWork(0)
	}
	return nil
}

// A yamlJudge reports the tags of a YAML text.
type yamlJudge struct{ *part }

// Lambda reports a layer with Python code.
func (y yamlJudge) Lambda(off int64) {
	y.find(RuleKerasLambda, off, "a layer contains Python bytecode, which runs when the layer is called")
}

// Crowded reports that there are too many tag handles.
func (y yamlJudge) Crowded(off int64, most int) {
	y.overBudget(off, "there are more than %d tag handles; the rest was not analyzed", most)
}

// Tag reports a tag of PyYAML. A doubtful one may be part of a text.
func (y yamlJudge) Tag(tag string, off int64, doubtful bool) {
	kind, name, _ := strings.Cut(tag, ":")
	verdict, rule := pickle.Suspicious, RuleYAMLTag
	for _, call := range callTags {
		if kind == call && !doubtful {
			verdict, rule = pickle.Dangerous, RuleYAMLCall
		}
	}
	what := "loading creates an object of it, except with a safe loader"
	if rule == RuleYAMLCall {
		what = "loading imports and calls it, except with a safe loader"
	}
	y.find(rule, off, "the tag %s: %s", quoted("!!python/"+tag), what)
	if name != "" {
		y.configures(name, "tag", off, verdict, rule)
	}
}
