// What is found in a file.

package tfgraph

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// The rules of this package.
const (
	Rule       pickle.Rule = "tensorflow-op"
	RuleCustom pickle.Rule = "tensorflow-custom-op"
)

// roots are the messages that files consist of, with the names of their formats.
var roots = [...]struct {
	kind   wire.Kind
	format string
}{
	{savedModel, "tensorflow-savedmodel"},
	{metaGraph, "tensorflow-metagraph"},
	{graph, "tensorflow-graph"},
	{kerasMetadata, "keras-metadata"},
}

// Analyze parses a file as each of the messages that TensorFlow reads: nothing in a message
// says which one it is, so only the program that loads it knows. Errors are
// evidence.ErrBudget and read errors.
func Analyze(file *wire.File) (*evidence.Report, error) {
	report := new(evidence.Report)
	var best *analysis
	for _, root := range roots {
		a := newAnalysis(file, root.kind)
		err := walk(file, root.kind, a.see)
		if err == nil {
			err = a.judge()
		}
		report.Join(&a.Report)
		if err != nil {
			if len(a.Findings) > 0 {
				report.Format = root.format
			}
			return report, err
		}
		if a.known > 0 && (best == nil || a.known > best.known) {
			best = a
			report.Format = root.format
		}
	}
	if best != nil {
		report.Configs, report.Unanalysed = best.Configs, best.Unanalysed
		best.strange(report)
	}
	return report, nil
}

// mostKept is the number of functions, and of other things that a file names, that are kept.
const mostKept = 50_000

// An analysis is the state of parsing a file as one message.
type analysis struct {
	evidence.Report
	file  *wire.File
	root  wire.Kind
	known int // operations of TensorFlow, and configurations

	custom    map[string]int64    // operations that TensorFlow does not have, by offset
	functions map[string]*scope   // by name
	savers    map[string]bool     // the nodes to which programs that save feed a name
	assets    map[string]bool     // the nodes to which programs that load feed the name of an asset
	bound     map[string][]uint64 // the objects that provide the last inputs of a function
	// assetObjects are the numbers of the objects that are assets.
	assetObjects map[uint64]bool
	numObjects   uint64
	numBound     int
	suspects     []suspect
	flow
}

// A suspect is a node whose operation accesses files that its inputs name.
type suspect struct {
	in  *scope
	at  wire.Field
	op  string
	why *hazard
}

func newAnalysis(file *wire.File, root wire.Kind) *analysis {
	return &analysis{file: file, root: root, custom: make(map[string]int64), functions: make(map[string]*scope),
		savers: make(map[string]bool), assets: make(map[string]bool), bound: make(map[string][]uint64),
		assetObjects: make(map[uint64]bool)}
}

// see examines a message.
func (a *analysis) see(k wire.Kind, f wire.Field, in *scope) (enter bool, err error) {
	if len(a.functions)+len(a.custom)+len(a.bound)+len(a.assetObjects)+len(a.assets)+len(a.Configs) > mostKept {
		return false, evidence.ErrBudget
	}
	name := ""
	switch k {
	case node:
		return false, a.node(f, in)
	case function:
		if name, err = a.functionName(f.Span); err == nil {
			a.functions[name] = in
		}
	case saver:
		name, err = a.file.Text(f.Span, 1)
		a.savers[nodeOf(name)] = true
	case tensorInfo:
		name, err = a.file.Text(f.Span, 1)
		a.assets[nodeOf(name)] = true
	case object:
		err = a.file.Each(f.Span, func(f wire.Field) error {
			if f.Num == 5 && f.Type == wire.Bytes {
				a.assetObjects[a.numObjects] = true
			}
			return nil
		})
		a.numObjects++
	case concrete:
		err = a.captures(f.Span)
	case kerasObject:
		err = a.config(f.Span, 5)
	case userObject:
		err = a.config(f.Span, 3)
	}
	return true, err
}

// config records a field that contains a Keras configuration.
func (a *analysis) config(span wire.Span, num int) error {
	return a.file.EachOf(span, num, func(f wire.Field) error {
		b, err := a.file.Read(f.Span, wire.MostText)
		text := bytes.TrimLeft(b, " \t\r\n")
		if err != nil || len(b) == 0 || len(text) > 0 && text[0] != '{' && text[0] != '[' {
			return err
		}
		a.Configs = append(a.Configs, f.Span)
		a.known++
		return nil
	})
}

// functionName returns the name of a function, which its signature contains.
func (a *analysis) functionName(span wire.Span) (name string, err error) {
	err = a.file.Each(span, func(f wire.Field) error {
		if f.Num == 1 && f.Type == wire.Bytes {
			name, err = a.file.Text(f.Span, 1)
		}
		return err
	})
	return name, err
}

// captures records which objects provide inputs of a function: the value of an entry of a map
// is a message with their numbers.
func (a *analysis) captures(entry wire.Span) error {
	name, err := a.file.Text(entry, 1)
	if err != nil {
		return err
	}
	var bound []uint64
	err = a.file.EachOf(entry, 2, func(f wire.Field) error {
		return a.file.Each(f.Span, func(f wire.Field) error {
			switch {
			case f.Num == 2 && f.Type == wire.Varint:
				bound = append(bound, f.Value)
			case f.Num == 2 && f.Type == wire.Bytes: // packed numbers
				b, err := a.file.Read(f.Span, wire.MostText)
				for len(b) > 0 {
					v, n := binary.Uvarint(b)
					bound, b = append(bound, v), b[max(n, 1):]
				}
				if a.numBound += len(bound); a.numBound > 10*mostKept {
					err = evidence.ErrBudget
				}
				return err
			}
			return nil
		})
	})
	a.bound[name] = bound
	return err
}

// node examines a node. A field that occurs twice has the last value for most programs; both
// are examined.
func (a *analysis) node(at wire.Field, in *scope) error {
	return a.file.Each(at.Span, func(f wire.Field) error {
		if f.Num != 2 || f.Type != wire.Bytes || f.Len() > wire.MostText {
			return nil
		}
		b, err := a.file.Read(f.Span, wire.MostText)
		if err != nil {
			return err
		}
		op := string(b)
		h := hazards()[op]
		if h == nil {
			if operations()[op] {
				a.known++
			} else if _, ok := a.custom[op]; !ok {
				a.custom[op] = at.At
			}
			return nil
		}
		a.known++
		switch h.how {
		case always:
			a.found(op, h, at.At, "")
		case byAttr:
			return a.attributes(op, h, at)
		case unanalysed:
			a.Skip("the operation %s, which is %s", op, h.what)
		default:
			if len(a.suspects) > mostKept {
				return evidence.ErrBudget
			}
			a.suspects = append(a.suspects, suspect{in, at, op, h})
		}
		return nil
	})
}

// found reports an operation.
func (a *analysis) found(op string, h *hazard, at int64, more string) {
	a.Find(Rule, h.severity, at, "a TensorFlow graph contains the operation %s, which %s%s", op, h.what, more)
}

// strange reports the operations that neither TensorFlow nor the file defines.
func (a *analysis) strange(report *evidence.Report) {
	ops := slices.SortedFunc(maps.Keys(a.custom), func(x, y string) int {
		return cmp.Compare(a.custom[x], a.custom[y])
	})
	for _, op := range ops {
		if a.functions[op] == nil {
			report.Find(RuleCustom, pickle.Warning, a.custom[op],
				"the operation %.100q is not part of TensorFlow: a library must provide it", op)
		}
	}
}
