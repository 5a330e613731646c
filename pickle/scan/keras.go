// Keras configurations: JSON that names classes and functions.

package scan

import (
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/known"
)

// kerasConfig analyzes a part that is a Keras configuration.
func (p *part) kerasConfig() error {
	if p.format == "keras-config" {
		return nil // it was analyzed already
	}
	p.format = "keras-config"
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the configuration has %s, more than are read", bytesOf(p.size))
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
		p.unscanned(int64(c.Pos()), "the configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil:
		p.find(RuleBadConfig, 0, "the configuration is invalid JSON: %v", err)
	}
	return nil
}

// A kerasJudge reports the objects of a configuration.
type kerasJudge struct{ *part }

// Twice reports a duplicate key of an object.
func (c kerasJudge) Twice(name string, at int64) {
	c.find(RuleBadConfig, at, "the configuration has the key %s twice in one object: readers may use either", quoted(name))
}

// Object reports an object that loading creates.
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
		c.find(RuleKerasLambda, o.Begin, "a layer contains Python bytecode, which runs when the layer is called")
	case known.IsKeras(o.Module) && known.ReachesOut(name):
		c.names(full, o, pickle.Dangerous, RuleKerasModule)
		c.find(RuleKerasModule, o.Begin, "%s does more than create a layer", quoted(full))
	case o.Class == "TorchModuleWrapper":
		c.names(full, o, pickle.Dangerous, RuleKerasModule)
		c.find(RuleKerasModule, o.Begin, "a layer contains a PyTorch pickle")
	case o.Module != "" && !known.IsKeras(o.Module):
		c.foreign(o, name, full, function)
	case o.Registered != "" && known.IsCustom(o.Registered):
		c.names(o.Registered, o, pickle.Suspicious, RuleKerasCustom)
		c.find(RuleKerasCustom, o.Begin, "%s is a custom object, which the loading program must define", quoted(o.Registered))
	}
}

// foreign reports an object of a module other than Keras. Keras writes "builtins" as the module
// of a user's function without a module.
func (c kerasJudge) foreign(o *config.Object, name, full string, function bool) {
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
