// The findings of package settings.

package texts

import (
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// Walker returns a walker of values in any format, whose names and templates r judges.
func (r *Reader) Walker() *settings.Walker {
	name := strings.ToLower(r.Name)
	return &settings.Walker{Found: r.setting, Pipeline: strings.HasSuffix(name, "model_index.json"),
		Modules: name == "modules.json", Router: name == "router_config.json", Restored: name == "model_config.yaml",
		Zarr:  name == "zarr.json" || strings.HasSuffix(name, ".zarray") || name == ".zmetadata",
		Spend: func(n int) bool { return r.Spend(int64(n) * costJSON) }}
}

// setting reports what a configuration names.
func (r *Reader) setting(f settings.Finding) {
	switch f.Kind {
	case settings.Call:
		r.call(&f)
	case settings.Import:
		r.imports(&f)
	case settings.Remote:
		r.Imports(Import{f.Text, f.Key, f.At, pickle.Suspicious, RuleRemoteCode})
		r.find(RuleRemoteCode, pickle.Warning, f.At,
			"%s names %s, code of a repository, which programs import if the user trusts it", quoted(f.Key), quoted(f.Text))
	case settings.Trust:
		r.find(RuleRemoteCode, pickle.Warning, f.At, "%s is %s: programs that follow it run the code of a repository",
			quoted(f.Key), quoted(f.Text))
	case settings.Outside:
		r.find(RuleUnsafeName, pickle.Warning, f.At, "a tensor is in %s, outside of the folder of the index", quoted(f.Text))
	case settings.Code:
		r.code(&f)
	case settings.Template:
		r.Template([]byte(f.Text), f.At, r.isTemplate(f.Key))
	case settings.Keras:
		if f.Text == "Lambda" && r.inYAML { // JSON is read as a whole elsewhere
			r.Imports(Import{"keras.layers.Lambda", f.Key, f.At, pickle.Dangerous, RuleLambda})
			r.find(RuleLambda, pickle.Error, f.At, "a layer contains Python bytecode, which runs when the layer is called")
		}
	case settings.Twice:
		r.find(RuleBadConfig, pickle.Warning, f.At,
			"the configuration has the key %s twice in one object: readers may use either", quoted(f.Key))
	}
}

// code reports a text that torch.export evaluates.
func (r *Reader) code(f *settings.Finding) {
	s, what := pickle.Error, "is evaluated as Python code when the program is loaded"
	if f.Key == "guards_code" {
		s, what = pickle.Warning, "is Python code, which checks the inputs of the program"
	}
	r.find(RuleConfigCall, s, f.At, "%s %s, and is not only an expression of numbers: %s", quoted(f.Key), what,
		quoted(f.Text[:min(len(f.Text), 200)]))
}

// isTemplate reports whether the text under a key is rendered.
func (r *Reader) isTemplate(key string) bool {
	name, key := strings.ToLower(r.Name), strings.ToLower(key)
	return strings.Contains(key, "template") || strings.Contains(key, "jinja") || strings.Contains(key, "prompt") ||
		strings.HasPrefix(name, "tokenizer") || strings.HasPrefix(name, "processor") || r.saysTemplate()
}

// call reports a name that a program imports and calls.
func (r *Reader) call(f *settings.Finding) {
	r.named = true
	name := strings.TrimSpace(f.Text)
	if known(name) {
		return
	}
	if strings.Contains(name, "${") {
		r.find(RuleConfigCall, pickle.Warning, f.At, "%s names a function that is known only when it is read: %s",
			quoted(f.Key), quoted(name))
		return
	}
	v := max(r.judge(name), pickle.Suspicious)
	r.Imports(Import{name, f.Key, f.At, v, RuleConfigCall})
	r.find(RuleConfigCall, severity(v), f.At, "%s names %s, which programs that follow it import and call", quoted(f.Key),
		quoted(name))
}

// imports reports a module that a program imports.
func (r *Reader) imports(f *settings.Finding) {
	name := strings.TrimSpace(f.Text)
	root, _, _ := strings.Cut(name, ".")
	switch root {
	case "transformers", "diffusers", "mlflow", "sentence_transformers", "peft":
		return
	}
	v := r.module(name)
	r.Imports(Import{name, f.Key, f.At, v, RuleConfigCall})
	r.find(RuleConfigCall, severity(v), f.At, "%s names the module %s, which programs that follow it import",
		quoted(f.Key), quoted(name))
}

// value examines a text that is a value of another format, such as metadata.
func (r *Reader) value(key string, text []byte, at int64) {
	w := r.Walker()
	w.Open(true, at)
	w.Key([]byte(key), at)
	w.Value(text, true, at)
	w.Close()
}

// Value examines a text that is a value in another format, such as metadata: a configuration in
// JSON or YAML, or a template.
func (r *Reader) Value(key, text string, at int64) {
	if len(text) > MostText {
		r.Gap(at, "the text under "+quoted(key)+" is longer than the maximum of "+wording.Count(MostText, "byte"))
		return
	}
	if !r.Spend(int64(len(text))*costYAML + costValue) {
		r.OverWork(at)
		return
	}
	r.value(key, []byte(text), at)
	if s := strings.TrimLeft(text, " \t\r\n"); strings.Contains(s, "!") || strings.Contains(s, "_target_") {
		if _, err := jsonscan.Parse([]byte(s)); err != nil {
			r.yaml([]byte(text), at)
		}
	}
}
