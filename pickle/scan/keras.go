// Keras configurations: JSON that names classes and functions.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/known"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
)

// kerasConfig analyzes a part that is a Keras configuration, or perhaps one.
func (p *part) kerasConfig(perhaps bool) error {
	if p.format == "keras-config" {
		return nil // it was analyzed already
	}
	if !perhaps {
		p.format = "keras-config"
	}
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the configuration has %s, more than are read", bytesOf(p.size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, kerasJudge{p, perhaps})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.unscanned(int64(c.Pos()), "the configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && !perhaps:
		p.find(RuleBadConfig, 0, "the configuration is invalid JSON: %v", err)
	}
	return nil
}

// A kerasJudge reports the objects of a configuration. If the text is only perhaps one of Keras,
// it reports what Keras would do if it loaded it.
type kerasJudge struct {
	*part
	perhaps bool
}

// Twice reports a duplicate key of an object.
func (c kerasJudge) Twice(name string, at int64) {
	if !c.perhaps {
		c.find(RuleBadConfig, at, "the configuration has the key %s twice in one object: readers may use either", quoted(name))
	}
}

// Object reports an object that loading creates. Keras ignores objects without a configuration.
func (c kerasJudge) Object(o *config.Object) {
	name := o.Class
	function := o.Class == "function" || o.Registered == "function"
	if function {
		name = o.Config
	}
	if name == "" || c.perhaps && !o.Configured {
		return
	}
	full := name
	if o.Module != "" {
		full = o.Module + "." + name
	}
	ours := known.IsKeras(o.Module)
	switch {
	case known.IsLambda(o.Class):
		c.names("keras.layers.Lambda", o, pickle.Dangerous, RuleKerasLambda)
		c.find(RuleKerasLambda, o.Begin, "a layer contains Python bytecode, which runs when the layer is called")
	case (ours || o.Module == "") && known.ReachesOut(name):
		c.names(full, o, pickle.Dangerous, RuleKerasModule)
		c.find(RuleKerasModule, o.Begin, "%s does more than create a layer", quoted(full))
	case o.Module != "" && !ours:
		c.foreign(o, name, full, function)
	case o.Registered != "" && known.IsCustom(o.Registered):
		c.names(o.Registered, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "%s is a custom object, which the loading program must define", quoted(o.Registered))
	default:
		c.own(o, name, full, function)
	}
}

// own reports what an object of Keras itself does besides computing.
func (c kerasJudge) own(o *config.Object, name, full string, function bool) {
	switch {
	case c.tensorFlow(o):
	case o.Args["vocabulary"] != "":
		c.find(RuleKerasFile, o.Begin, "%s reads the file %s when it is loaded", quoted(full), quoted(o.Args["vocabulary"]))
	case c.perhaps || strings.HasPrefix(o.Registered, "keras") || strings.HasPrefix(o.Module, "keras_") ||
		strings.HasPrefix(o.Module, "keras.src.ops"):
	case function && !known.IsFunction(name) || !function && !known.IsClass(name):
		c.names(full, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "%s is not part of Keras: the loading program must define it", quoted(full))
	}
}

// tensorFlow reports a layer that calls a function of TensorFlow. It returns false for other
// layers.
func (c kerasJudge) tensorFlow(o *config.Object) bool {
	called := ""
	switch o.Class {
	case "TFOpLambda", "SlicingOpLambda":
		called = o.Args["function"]
	case "ClassMethod":
		called = o.Args["cls_symbol"] + "." + o.Args["attr_name"]
	case "TensorFlowOpLayer":
		c.names("tensorflow node", o, pickle.Suspicious, RuleKerasCall)
		if op := tfgraph.Hazard(o.Args["node_def"]); op != "" {
			c.names("tensorflow.raw_ops."+op, o, pickle.Dangerous, RuleKerasCall)
		}
		return true
	default:
		return false
	}
	switch only, more := known.Computes(called); {
	case more:
		c.names("tensorflow."+called, o, pickle.Dangerous, RuleKerasCall)
	case !only && !c.perhaps:
		c.names("tensorflow."+called, o, pickle.Suspicious, RuleKerasCall)
	}
	return true
}

// foreign reports an object of a module other than Keras. Keras writes "builtins" as the module
// of a user's function without a module.
func (c kerasJudge) foreign(o *config.Object, name, full string, function bool) {
	if o.Module == "builtins" && function && known.IsFunction(name) {
		return // Keras looks for a function of its own first
	}
	verdict := pickle.Dangerous
	if o.Module == "builtins" && function {
		verdict = c.judgeName(o.Module, name)
	}
	if o.Module == "builtins" && function && verdict < pickle.Dangerous {
		c.names(full, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "the function %s is a custom object, which the loading program must define",
			quoted(name))
		return
	}
	c.names(full, o, pickle.Dangerous, RuleKerasModule)
	c.find(RuleKerasModule, o.Begin, "loading imports %s, which the configuration names", quoted(full))
}

// names reports a name in a configuration.
func (c kerasJudge) names(full string, o *config.Object, verdict pickle.Verdict, rule pickle.Rule) {
	c.configures(full, "config", o.Begin, verdict, rule)
}
