// YAML: tags that have Python make objects, and call what they name.

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

// callTags are those that import a name, and call it or hand it out (PyYAML,
// constructor.py). A ":" and the name follow.
var callTags = []string{"object/apply", "object/new", "name", "module"}

// isYAML says whether a part is YAML: there is no magic, so its name has to say so.
func (p *part) isYAML(head []byte) bool {
	switch extensionOf(p.name) {
	case ".yaml", ".yml":
		return filetype.IsText(config.UTF8(head))
	}
	return false
}

// yaml looks at a part in YAML for tags, and for a model of Keras with code in it.
func (p *part) yaml() error {
	p.format = "yaml"
	if p.size > mostConfig || !p.spend(4*costJSON*p.size) {
		p.overBudget(0, "the text takes %s, and fewer are read", bytesOf(p.size))
		return nil
	}
	text := make([]byte, p.size)
	if err := bytesio.ReadFull(p.file, text, 0); err != nil {
		return err
	}
	y := yaml.New(yamlJudge{p})
	text = config.UTF8(text)
	for _, end := range [...]string{"\u0085", "\u2028", "\u2029"} { // ends of lines, as YAML 1.1 has them
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

// A yamlJudge judges what is in a text of a part.
type yamlJudge struct{ *part }

// Lambda reports a layer that is Python code.
func (y yamlJudge) Lambda(off int64) {
	y.find(RuleKerasLambda, off, "a layer is Python code, which loading makes a function of and calling runs")
}

// Crowded reports that there are more handles of tags than are looked at.
func (y yamlJudge) Crowded(off int64, most int) {
	y.overBudget(off, "there are more handles of tags than the %d that are looked at", most)
}

// Tag judges one of PyYAML's tags, which may stand where it is none.
func (y yamlJudge) Tag(tag string, off int64, doubtful bool) {
	kind, name, _ := strings.Cut(tag, ":")
	verdict, rule := pickle.Suspicious, RuleYAMLTag
	for _, call := range callTags {
		if kind == call && !doubtful {
			verdict, rule = pickle.Dangerous, RuleYAMLCall
		}
	}
	what := "loading makes an object of it, unless by a safe loader"
	if rule == RuleYAMLCall {
		what = "loading imports and calls it, unless by a safe loader"
	}
	y.find(rule, off, "the tag %s: %s", quoted("!!python/"+tag), what)
	if name != "" {
		y.configures(name, "tag", off, verdict, rule)
	}
}
