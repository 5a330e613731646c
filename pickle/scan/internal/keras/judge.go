// What loading a Keras configuration imports and calls.

// Package keras judges the objects of Keras configurations.
package keras

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/known"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
)

// The rules about Keras configurations.
const (
	RuleLambda pickle.Rule = "keras-lambda"
	RuleModule pickle.Rule = "keras-config-module"
	RuleCustom pickle.Rule = "keras-custom-object"
	RuleCall   pickle.Rule = "keras-tensorflow-call"
	RuleFile   pickle.Rule = "keras-file"
)

// A Judge reports the objects of a configuration: it is a config.Visitor. If the text is only perhaps
// a configuration of Keras, it reports what Keras would do if it loaded it.
type Judge struct {
	evidence.Sink
	Perhaps bool
}

// Twice reports a duplicate key of an object.
func (c Judge) Twice(name string, at int64) {
	if !c.Perhaps {
		c.Find(evidence.RuleBadConfig, at, "the configuration has the key %s twice in one object: readers may use either",
			wording.Quote(name))
	}
}

// Object reports an object that loading creates. Keras ignores objects without a configuration.
func (c Judge) Object(o *config.Object) {
	name := o.Class
	function := o.Class == "function" || o.Registered == "function"
	if function {
		name = o.Config
	}
	if name == "" || c.Perhaps && !o.Configured {
		return
	}
	full := name
	if o.Module != "" {
		full = o.Module + "." + name
	}
	ours := known.IsKeras(o.Module)
	switch {
	case known.IsLambda(o.Class):
		c.Name("keras.layers.Lambda", o.Begin, pickle.Dangerous, RuleLambda)
		c.Find(RuleLambda, o.Begin, "a layer contains Python bytecode, which runs when the layer is called")
	case (ours || o.Module == "") && known.ReachesOut(name):
		c.Name(full, o.Begin, pickle.Dangerous, RuleModule)
		c.Find(RuleModule, o.Begin, "%s does more than create a layer", wording.Quote(full))
	case o.Module != "" && !ours:
		c.foreign(o, name, full, function)
	case o.Registered != "" && known.IsCustom(o.Registered):
		c.Name(o.Registered, o.Begin, pickle.Suspicious, RuleCustom)
		c.Find(RuleCustom, o.Begin, "%s is a custom object, which the loading program must define",
			wording.Quote(o.Registered))
	default:
		c.own(o, name, full, function)
	}
}

// own reports the side effects of an object of Keras itself.
func (c Judge) own(o *config.Object, name, full string, function bool) {
	switch {
	case c.tensorFlow(o):
	case o.Args["vocabulary"] != "":
		c.Find(RuleFile, o.Begin, "%s reads the file %s when it is loaded", wording.Quote(full),
			wording.Quote(o.Args["vocabulary"]))
	case c.Perhaps || strings.HasPrefix(o.Registered, "keras") || strings.HasPrefix(o.Module, "keras_") ||
		strings.HasPrefix(o.Module, "keras.src.ops"):
	case function && !known.IsFunction(name) || !function && !known.IsClass(name):
		c.Name(full, o.Begin, pickle.Suspicious, RuleCustom)
		c.Find(RuleCustom, o.Begin, "%s is not part of Keras: the loading program must define it", wording.Quote(full))
	}
}

// tensorFlow reports a layer that calls a function of TensorFlow. It returns false for other
// layers.
func (c Judge) tensorFlow(o *config.Object) bool {
	called := ""
	switch o.Class {
	case "TFOpLambda", "SlicingOpLambda":
		called = o.Args["function"]
	case "ClassMethod":
		called = o.Args["cls_symbol"] + "." + o.Args["attr_name"]
	case "TensorFlowOpLayer":
		c.Name("tensorflow node", o.Begin, pickle.Suspicious, RuleCall)
		if op := tfgraph.Hazard(o.Args["node_def"]); op != "" {
			c.Name("tensorflow.raw_ops."+op, o.Begin, pickle.Dangerous, RuleCall)
		}
		return true
	default:
		return false
	}
	switch only, more := known.Computes(called); {
	case more:
		c.Name("tensorflow."+called, o.Begin, pickle.Dangerous, RuleCall)
	case !only && !c.Perhaps:
		c.Name("tensorflow."+called, o.Begin, pickle.Suspicious, RuleCall)
	}
	return true
}

// foreign reports an object of a module other than Keras. Keras writes "builtins" as the module
// of a user's function without a module.
func (c Judge) foreign(o *config.Object, name, full string, function bool) {
	if o.Module == "builtins" && function && known.IsFunction(name) {
		return // Keras looks for a function of its own first
	}
	verdict := pickle.Dangerous
	if o.Module == "builtins" && function {
		verdict = c.Verdict(o.Module, name)
	}
	if o.Module == "builtins" && function && verdict < pickle.Dangerous {
		c.Name(full, o.Begin, pickle.Suspicious, RuleCustom)
		c.Find(RuleCustom, o.Begin, "the function %s is a custom object, which the loading program must define",
			wording.Quote(name))
		return
	}
	c.Name(full, o.Begin, pickle.Dangerous, RuleModule)
	c.Find(RuleModule, o.Begin, "loading imports %s, which the configuration names", wording.Quote(full))
}
