// Models that skops saved: JSON that names the classes and functions of Python to import.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// skops analyzes the schema of a model. The loader of skops refuses names that it does not know
// unless its caller trusts them.
func (p *part) skops() error {
	p.format = "skops-schema"
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the schema has %s, more than are read", bytesOf(p.size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, skopsJudge{p})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.unscanned(int64(c.Pos()), "the schema is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil:
		p.find(RuleBadConfig, 0, "the schema is invalid JSON: %v", err)
	}
	return nil
}

// A skopsJudge reports the names in a schema.
type skopsJudge struct{ *part }

// Twice reports a duplicate key of an object.
func (c skopsJudge) Twice(name string, at int64) {
	c.find(RuleBadConfig, at, "the schema has the key %s twice in one object: readers may use either", quoted(name))
}

// Object reports the name that an object imports.
func (c skopsJudge) Object(o *config.Object) {
	args := o.Own()
	module, name := args["__module__"], args["__class__"]
	if function := args["function"]; args["module_path"] != "" {
		module, name = args["module_path"], function
	}
	if module == "" || name == "" {
		return
	}
	verdict := c.judgeName(module, name)
	loader := args["__loader__"]
	switch {
	case verdict == pickle.Dangerous:
	case loader == "MethodNode" || loader == "OperatorFuncNode" || loader == "ReduceNode" && verdict > pickle.Safe:
		verdict = pickle.Suspicious
	case verdict > pickle.Safe && isData(module, name, loader):
		verdict = pickle.Safe
	}
	if verdict > pickle.Safe {
		c.configures(module+"."+name, "schema", o.Begin, verdict, RuleSkops)
	}
}

// isData reports whether skops builds an object of a class without calling functions of others.
func isData(module, name, loader string) bool {
	first, _, _ := strings.Cut(module, ".")
	switch first {
	case "sklearn", "scipy", "numpy":
		return loader != "FunctionNode" || first != "sklearn" && !strings.HasPrefix(name, "load")
	case "builtins":
		switch name {
		case "dict", "list", "tuple", "str", "int", "float", "bool", "NoneType", "bytes", "bytearray", "set", "frozenset",
			"complex", "slice", "range", "type", "ellipsis":
			return true
		}
	case "collections":
		return name == "OrderedDict" || name == "defaultdict" || name == "Counter"
	case "datetime":
		return true
	}
	return false
}
