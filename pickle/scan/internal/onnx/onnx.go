// Side effects of ONNX models.

// Package onnx finds in ONNX models the operators that a library must provide, programs in other
// languages, and data in files outside of the model's folder.
package onnx

import (
	"errors"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// The rules of this package.
const (
	RuleData   pickle.Rule = "onnx-external-data"
	RuleOp     pickle.Rule = "onnx-custom-op"
	RulePython pickle.Rule = "onnx-python-op"
)

// The kinds of messages.
const (
	_ wire.Kind = iota
	model
	graph
	node
	attribute
	tensor
	sparseTensor
	training
	function
	entry
)

// schema says which fields of a message are messages that matter.
var schema = wire.Schema{
	model:        {7: graph, 20: training, 25: function},
	graph:        {1: node, 5: tensor, 15: sparseTensor},
	node:         {5: attribute},
	attribute:    {5: tensor, 6: graph, 10: tensor, 11: graph, 22: sparseTensor, 23: sparseTensor},
	tensor:       {13: entry},
	sparseTensor: {1: tensor, 2: tensor},
	training:     {1: graph, 2: graph},
	function:     {7: node, 11: attribute},
}

// An operator is the name of an operator with its domain.
type operator struct{ domain, name string }

// An analysis is the state of reading a model.
type analysis struct {
	evidence.Report
	file      *wire.File
	known     int // operators of ONNX
	graphs    int
	functions map[operator]bool
	custom    []use
	seen      map[operator]bool
}

// A use is a node whose operator ONNX does not have.
type use struct {
	operator
	at int64
}

// Analyze parses a file as a model. The format of the report is "" if it is none. Errors are
// evidence.ErrBudget and read errors.
func Analyze(file *wire.File) (*evidence.Report, error) {
	a := &analysis{file: file, functions: make(map[operator]bool), seen: make(map[operator]bool)}
	version, err := a.version()
	if err != nil || !version {
		return &a.Report, err
	}
	if err := a.texts(model, file.All()); err != nil {
		return &a.Report, err
	}
	err = wire.Walk(file, schema, model, struct{}{},
		func(k wire.Kind, f wire.Field, _ struct{}) (struct{}, bool, error) {
			return struct{}{}, true, a.see(k, f)
		})
	if err != nil {
		return &a.Report, err
	}
	if a.graphs == 0 || a.known == 0 && len(a.custom) == 0 && len(a.Findings) == 0 {
		return new(evidence.Report), nil
	}
	a.Format = "onnx"
	a.others()
	return &a.Report, nil
}

// others reports the operators that neither ONNX nor the model has.
func (a *analysis) others() {
	for _, u := range a.custom {
		if !a.functions[u.operator] {
			a.Find(RuleOp, pickle.Warning, u.at, "the operator %.100q of the domain %.100q is not part of ONNX: a library "+
				"must provide it", u.name, u.domain)
		}
	}
}

// version reports whether the file has a version number (1), as each model has.
func (a *analysis) version() (found bool, err error) {
	err = a.file.Each(a.file.All(), func(f wire.Field) error {
		found = found || f.Num == 1 && f.Type == wire.Varint
		return nil
	})
	return found, err
}

// see examines a message.
func (a *analysis) see(k wire.Kind, f wire.Field) error {
	if err := a.texts(k, f.Span); err != nil {
		return err
	}
	switch k {
	case graph:
		a.graphs++
	case node:
		return a.node(f)
	case function:
		var o operator
		var err error
		if o.name, err = a.file.Text(f.Span, 1); err == nil {
			o.domain, err = a.file.Text(f.Span, 10)
		}
		if a.functions[o] = true; len(a.functions) > mostKept {
			err = evidence.ErrBudget
		}
		return err
	case entry:
		return a.external(f)
	}
	return nil
}

// mostKept is the number of functions and of operators that are kept.
const mostKept = 50_000

// node examines the operator of a node.
func (a *analysis) node(f wire.Field) error {
	var o operator
	var err error
	if o.name, err = a.file.Text(f.Span, 4); err == nil {
		o.domain, err = a.file.Text(f.Span, 7)
	}
	if err != nil {
		return err
	}
	if o.isContext() {
		err = a.context(f)
	}
	return errors.Join(err, a.uses(o, f.At))
}

// isContext reports whether the operator runs a program for an accelerator.
func (o operator) isContext() bool { return o.name == "EPContext" || o.name == "TRT_EnginePlugin" }

// uses examines an operator.
func (a *analysis) uses(o operator, at int64) error {
	switch {
	case o.name == "":
	case o.isContext():
		a.Skip("a program for an accelerator (operator %s)", o.name)
	case strings.HasPrefix(o.name, "PyOp") || strings.HasPrefix(o.name, "PythonOp"):
		a.Find(RulePython, pickle.Error, at, "the operator %.100q calls Python", o.name)
	case isStandard(o.domain) && operators()[o.name] || isRuntime(o.domain):
		a.known++
	case !a.seen[o]:
		if len(a.custom) > mostKept {
			return evidence.ErrBudget
		}
		a.seen[o] = true
		a.custom = append(a.custom, use{o, at})
	}
	return nil
}

// context examines the file that contains the program for an accelerator.
func (a *analysis) context(node wire.Field) error {
	path, embedded := "", true
	err := a.file.EachOf(node.Span, 5, func(f wire.Field) error {
		name, err := a.file.Text(f.Span, 1)
		switch {
		case err != nil:
		case name == "ep_cache_context":
			path, err = a.file.Text(f.Span, 4)
		case name == "embed_mode":
			err = a.file.Each(f.Span, func(f wire.Field) error {
				if f.Num == 3 && f.Type == wire.Varint {
					embedded = f.Value != 0
				}
				return nil
			})
		}
		return err
	})
	if err == nil && !embedded && evidence.Leaves(path) {
		a.Find(RuleData, pickle.Warning, node.At, "the model reads a program from %.200q, outside of its folder", path)
	}
	return err
}

// external examines an entry about the data of a tensor in another file.
func (a *analysis) external(f wire.Field) error {
	key, err := a.file.Text(f.Span, 1)
	if err != nil || key != "location" {
		return err
	}
	path, err := a.file.Text(f.Span, 2)
	if err == nil {
		a.location(path, f.At)
	}
	return err
}

// location examines the name of a file with the data of a tensor.
func (a *analysis) location(path string, at int64) {
	if evidence.Leaves(path) {
		a.Find(RuleData, pickle.Warning, at, "the model reads tensors from %.200q, outside of its folder", path)
	}
}
