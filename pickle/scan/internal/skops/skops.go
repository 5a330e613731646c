// The names that loading a model of skops imports.

// Package skops judges the schemas of models that skops saved.
package skops

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// Rule is the rule about names that the loader of skops does not import by itself.
const Rule pickle.Rule = "skops-import"

// A Judge reports the names in a schema: it is a config.Visitor.
type Judge struct {
	evidence.Sink
	Sure bool // whether the text is a schema of skops, and not only named like one
}

// Twice reports a duplicate key of an object.
func (c Judge) Twice(name string, at int64) {
	if !c.Sure {
		return
	}
	c.Find(evidence.RuleBadConfig, at, "the schema has the key %s twice in one object: readers may use either",
		wording.Quote(name))
}

// Object reports the name that an object imports.
func (c Judge) Object(o *config.Object) {
	args := o.Own()
	module, name := args["__module__"], args["__class__"]
	if function := args["function"]; args["module_path"] != "" {
		module, name = args["module_path"], function
	}
	if module == "" || name == "" {
		return
	}
	verdict := c.Verdict(module, name)
	loader := args["__loader__"]
	switch {
	case verdict == pickle.Dangerous:
	case loader == "MethodNode" || loader == "OperatorFuncNode" || loader == "ReduceNode" && verdict > pickle.Safe:
		verdict = pickle.Suspicious
	case verdict > pickle.Safe && isData(module, name, loader):
		verdict = pickle.Safe
	}
	if verdict > pickle.Safe {
		c.Name(module+"."+name, o.Begin, verdict, Rule)
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
