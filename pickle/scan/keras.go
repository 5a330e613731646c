// Keras: a configuration in JSON that names what loading makes, and calls.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

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
