// Keras: a configuration in JSON that names what loading makes, and calls.

package scan

import (
	"bytes"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// mostConfig is how many bytes of a configuration are read.
const mostConfig = 16 << 20

// kerasConfig looks at a part that is a configuration of Keras.
func (p *part) kerasConfig() error {
	if p.format == "keras-config" {
		return nil // it looked like one by itself
	}
	p.format = "keras-config"
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the configuration takes %s, and fewer are read", bytesOf(p.size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, kerasJudge{p})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.unscanned(int64(c.Pos()), "the configuration is nested deeper than the %d levels that are read", jsonscan.MaxDepth)
	case err != nil:
		p.find(RuleBadConfig, 0, "the configuration is no JSON: %v", err)
	}
	return nil
}

// whole reads a part that is a text in JSON.
func (p *part) whole() ([]byte, error) {
	text := make([]byte, p.size)
	err := bytesio.ReadFull(p.file, text, 0)
	return config.Lenient(config.UTF8(text)), err
}

// isJSON says whether head may be the start of a JSON object.
func isJSON(head []byte) bool {
	head = config.UTF8(head)
	return filetype.IsText(head) && strings.HasPrefix(strings.TrimLeft(string(head), " \t\r\n"), "{")
}

// json looks at a JSON text, in case it is the configuration of a model: an object with
// a class, or one that was made for JavaScript. A text that is no JSON is one if it has
// the word.
func (p *part) json(head []byte) error {
	p.swept = true
	if p.isYAML(head) { // of which JSON is a part, nearly
		p.is("yaml")
		if err := p.yaml(); err != nil {
			return err
		}
	} else {
		p.is("json")
	}
	p.lookalike("a JSON text")
	if p.size > mostConfig {
		return p.largeJSON()
	}
	if !p.spend(costJSON * p.size) {
		p.overWork(0)
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	v, err := jsonscan.Parse(text)
	ours := v.Get("class_name").Kind() == jsonscan.String || v.Get("modelTopology").Get("model_config").Kind() == jsonscan.Object
	if ours || err != nil && bytes.Contains(text, []byte(`"class_name"`)) {
		return p.kerasConfig()
	}
	return nil
}

// largeJSON looks at a JSON text that is too large to be read: that of a tokenizer, or of a
// model. The strings of the outermost object tell.
func (p *part) largeJSON() error {
	const block = 64 << 10
	top := config.TopStrings{}
	buf := make([]byte, block)
	for at := int64(0); at < p.size && p.spend(block/4); at += block {
		b := buf[:min(block, p.size-at)]
		if err := bytesio.ReadFull(p.file, b, at); err != nil {
			return err
		}
		if top.HasModelWord(b) {
			p.overBudget(0, "the configuration takes %s, and fewer are read", bytesOf(p.size))
			return nil
		}
	}
	if p.left <= 0 {
		p.overWork(0)
	}
	return nil
}

// ours are the packages whose modules Keras imports for configurations since it was
// taught to refuse others (CVE-2025-1550), and its older names.
var ours = []string{"keras", "tf_keras", "keras_hub", "keras_nlp", "keras_cv", "tensorflow.keras", "tensorflow.python.keras"}

// isOurs says whether a module is Keras's own.
func isOurs(module string) bool {
	for _, name := range ours {
		if module == name || strings.HasPrefix(module, name+".") {
			return true
		}
	}
	return false
}

// reaching are functions of Keras that do more than make a layer: they fetch or load
// files, or switch off what guards against that (CVE-2025-8747, CVE-2025-9906).
var reaching = []string{"get_file", "enable_unsafe_deserialization", "load_model", "load_weights", "model_from_json", "model_from_config", "deserialize_keras_object", "TorchModuleWrapper", "audio_dataset_from_directory", "image_dataset_from_directory", "text_dataset_from_directory"}

// A kerasJudge judges what is in a configuration of a part.
type kerasJudge struct{ *part }

// Twice reports a member that an object has twice.
func (c kerasJudge) Twice(name string, at int64) {
	c.find(RuleBadConfig, at, "the configuration says %s twice in one object: readers take one or the other", quoted(name))
}

// Object judges an object that loading would make.
func (c kerasJudge) Object(o *config.Object) {
	name := o.Class
	function := o.Class == "function" || o.Registered == "function"
	if function {
		name = o.Config
	}
	if name == "" {
		return
	}
	full := name
	if o.Module != "" {
		full = o.Module + "." + name
	}
	switch {
	case o.Class == "Lambda" || o.Class == "__lambda__":
		c.names("keras.layers.Lambda", o, pickle.Dangerous, RuleKerasLambda)
		c.find(RuleKerasLambda, o.Begin, "a layer is Python code, which loading makes a function of and calling runs")
	case isOurs(o.Module) && isReaching(name):
		c.names(full, o, pickle.Dangerous, RuleKerasModule)
		c.find(RuleKerasModule, o.Begin, "%s does more than make a layer", quoted(full))
	case o.Class == "TorchModuleWrapper":
		c.names(full, o, pickle.Dangerous, RuleKerasModule)
		c.find(RuleKerasModule, o.Begin, "a layer holds a pickle of PyTorch")
	case o.Module != "" && !isOurs(o.Module):
		c.foreign(o, name, full, function)
	case o.Registered != "" && custom(o.Registered):
		c.names(o.Registered, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "%s is not Keras's: whoever loads the model has to have it", quoted(o.Registered))
	}
}

// isReaching says whether a function of Keras's own does more than make a layer.
func isReaching(name string) bool {
	for _, r := range reaching {
		if name == r || strings.HasSuffix(name, "."+r) {
			return true
		}
	}
	return false
}

// custom says whether a registered name is of a package that is not Keras's.
func custom(registered string) bool {
	pkg, _, ok := strings.Cut(registered, ">")
	return ok && !isOurs(pkg) && !strings.HasPrefix(pkg, "keras")
}

// foreign judges an object of a module that is not Keras's. A function of the user's own
// is said to be of builtins, if it has no module of its own.
func (c kerasJudge) foreign(o *config.Object, name, full string, function bool) {
	verdict := pickle.Dangerous
	if o.Module == "builtins" && function {
		verdict = c.judgeName(o.Module, name)
	}
	if o.Module == "builtins" && function && verdict < pickle.Dangerous {
		c.names(full, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "the function %s is not Keras's: whoever loads the model has to have it", quoted(name))
		return
	}
	c.names(full, o, pickle.Dangerous, RuleKerasModule)
	c.find(RuleKerasModule, o.Begin, "the configuration names %s, and loading imports it", quoted(full))
}

// names reports what a configuration names.
func (c kerasJudge) names(full string, o *config.Object, verdict pickle.Verdict, rule pickle.Rule) {
	c.configures(full, "config", o.Begin, verdict, rule)
}

// configures reports a name that loading a configuration imports. That it does so again is
// counted.
func (p *part) configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	key := p.path + "\x00" + string(rule) + "\x00" + full
	if i, ok := p.configured[key]; ok {
		p.report.Imports[i].Count++
		return
	}
	if p.configured == nil {
		p.configured = make(map[string]int)
	}
	if !p.noPlace(len(p.report.Imports), verdict) {
		p.configured[key] = len(p.report.Imports)
	}
	p.imports(Import{How: how, Import: pickle.Import{Name: full, ResolvedName: full, Offset: off, Count: 1, Called: true, Verdict: verdict, Rule: rule}})
}

// judgeName returns what the policy says of importing a name: what it says of the
// pickle that does only that.
func (p *part) judgeName(module, name string) pickle.Verdict {
	text := func(b []byte, s string) []byte {
		n := len(s)
		return append(append(b, 'X', byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), s...)
	}
	program := append(text(text([]byte("\x80\x04"), module), name), "\x93."...)
	if !p.spend(costVerdict) {
		p.overWork(0)
		return pickle.Suspicious
	}
	opts := p.pickleOptions()
	opts.MaxOpcodes = costVerdict
	r, err := pickle.Analyze(strings.NewReader(string(program)), int64(len(program)), opts)
	if err != nil || len(r.Imports) == 0 {
		return pickle.Suspicious
	}
	return r.Imports[0].Verdict
}
