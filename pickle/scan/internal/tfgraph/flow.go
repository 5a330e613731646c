// Where the names of files come from.

package tfgraph

import (
	"hash/fnv"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// A flow is what is known of the values in the graphs. It is built when it is needed, which is
// only for operations that access files.
type flow struct {
	nodes   map[scope]map[uint64]int64 // offsets of nodes by the hash of their names
	indexed int                        // the number of nodes in it
	calls   map[string][]call          // by the function that is called
	callers bool                       // whether calls is complete
	inputs  map[input]origin           // of functions
	depth   int
}

// A call is a node that calls a function.
type call struct {
	in     *scope
	at     int64 // offset of the node
	direct bool  // whether the inputs of the node are those of the function
}

// An input is an input of a function.
type input struct {
	function string
	index    int
}

// An origin says where a value comes from.
type origin struct {
	given   bool // a part of it is an input of the model
	asset   bool // it is the name of an asset
	odd     bool // it is computed in a way in which names are not
	outside bool // a constant part of it leads out of the folder of the model
	filled  bool // a constant part of it is not empty
}

// judge reports the nodes that access files, unless the user of the model names them, as for
// the functions that save and restore variables.
func (a *analysis) judge() error {
	for _, s := range a.suspects {
		for _, path := range s.why.paths {
			ins, err := a.ins(s.at.Span)
			if err != nil {
				return err
			}
			var o origin
			if path < len(ins) {
				if o, err = a.origin(s.in, ins[path]); err != nil {
					return err
				}
			}
			a.access(&s, o)
		}
	}
	return nil
}

// access reports a node that accesses a file with a name from o.
func (a *analysis) access(s *suspect, o origin) {
	h := *s.why
	switch {
	case h.how == reads && o.asset && !o.odd, strings.HasPrefix(s.op, "CacheDataset") && o == origin{}:
	case o.outside:
		a.found(s.op, &h, s.at.At, ": a part of the name is a path in the graph")
	case !o.given:
		a.found(s.op, &h, s.at.At, ", and the graph contains their names")
	case o.odd:
		h.severity = pickle.Warning
		a.found(s.op, &h, s.at.At, ", and the graph computes their names")
	}
}

// ins returns the inputs of a node that are values.
func (a *analysis) ins(node wire.Span) (ins []string, err error) {
	err = a.file.EachOf(node, 3, func(f wire.Field) error {
		b, err := a.file.Read(f.Span, wire.MostText)
		if len(ins) > mostKept {
			err = evidence.ErrBudget
		}
		if !strings.HasPrefix(string(b), "^") {
			ins = append(ins, string(b))
		}
		return err
	})
	return ins, err
}

// nodeOf returns the name of the node that has an output.
func nodeOf(output string) string {
	name, _, _ := strings.Cut(output, ":")
	return name
}

// origin returns where the output of a node comes from, by following the inputs.
func (a *analysis) origin(in *scope, output string) (o origin, err error) {
	seen := make(map[string]bool)
	for todo := []string{nodeOf(output)}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		span, ok, err := a.lookup(in, name)
		if err != nil {
			return o, err
		}
		if !ok {
			arg, err := a.argument(in, name)
			if err != nil {
				return o, err
			}
			o.join(arg)
			continue
		}
		more, err := a.source(&o, in, span, name)
		if err != nil {
			return o, err
		}
		for _, name := range more {
			todo = append(todo, nodeOf(name))
		}
	}
	return o, nil
}

// join adds another part of a value.
func (o *origin) join(p origin) {
	o.given, o.asset = o.given || p.given, o.asset || p.asset
	o.odd, o.outside, o.filled = o.odd || p.odd, o.outside || p.outside, o.filled || p.filled
}

// source adds what a node is to the origin of a value and returns the inputs to follow.
func (a *analysis) source(o *origin, in *scope, node wire.Span, name string) ([]string, error) {
	op, err := a.file.Text(node, 2)
	if err != nil {
		return nil, err
	}
	o.given = o.given || given()[op] && !a.assets[name]
	switch {
	case (op == "Const" || op == "Placeholder") && a.assets[name]:
		o.asset = true
	case op == "ReadVariableOp":
		return a.assigned(o, in, node)
	case op == "Const":
		return nil, a.constant(o, node, a.savers[name])
	case op == "PlaceholderWithDefault":
		return a.fallback(o, in, node)
	case passing()[op]:
		return a.ins(node)
	case !given()[op]:
		o.odd = true
	}
	return nil, nil
}

// assigned returns what the nodes of a scope assign to the variable that a node reads. Programs
// that load models assign the names of assets to variables; other variables count as computed.
func (a *analysis) assigned(o *origin, in *scope, read wire.Span) (values []string, err error) {
	variable, err := a.ins(read)
	if err != nil || len(variable) == 0 {
		o.odd = true
		return nil, err
	}
	err = a.nodesOf(in, func(f wire.Field) error {
		op, err := a.file.Text(f.Span, 2)
		if err != nil || op != "AssignVariableOp" {
			return err
		}
		ins, err := a.ins(f.Span)
		if err == nil && len(ins) == 2 && nodeOf(ins[0]) == nodeOf(variable[0]) {
			values = append(values, ins[1])
		}
		return err
	})
	for _, v := range values {
		o.odd = o.odd || !a.assets[nodeOf(v)]
	}
	o.odd = o.odd || len(values) == 0
	return values, err
}

// fallback adds the default of an input. Programs that save make one whose default is "model".
func (a *analysis) fallback(o *origin, in *scope, node wire.Span) (more []string, err error) {
	ins, err := a.ins(node)
	for _, name := range ins {
		span, ok, err := a.lookup(in, nodeOf(name))
		if err != nil {
			return nil, err
		}
		if op, err := a.file.Text(span, 2); ok && err == nil && op == "Const" {
			if err := a.constant(o, span, true); err != nil {
				return nil, err
			}
			continue
		}
		more = append(more, name)
	}
	return more, err
}

// constant adds a constant to the origin of a value. A program that saves feeds another name to
// the constant that it made, which is "model".
func (a *analysis) constant(o *origin, node wire.Span, fed bool) error {
	return a.attr(node, "value", func(f wire.Field) error {
		if f.Num != 8 || f.Type != wire.Bytes { // a tensor
			return nil
		}
		packed, texts := false, false
		err := a.file.Each(f.Span, func(f wire.Field) error {
			const dtString = 7
			switch {
			case f.Num == 1 && f.Type == wire.Varint:
				texts = f.Value == dtString
			case f.Num == 4:
				packed = f.Len() > 0
			case f.Num == 8 && f.Type == wire.Bytes:
				b, err := a.file.Read(f.Span, wire.MostText)
				s := string(b)
				o.filled = o.filled || s != ""
				o.outside = o.outside || outside(s)
				o.given = o.given || fed && s == "model"
				return err
			}
			return nil
		})
		if texts && packed { // no program writes texts in this way
			o.outside = true
		}
		return err
	})
}

// lookup returns the node of a scope that has a name.
func (a *analysis) lookup(in *scope, name string) (wire.Span, bool, error) {
	if in == nil {
		return wire.Span{}, false, nil
	}
	if a.nodes == nil {
		a.nodes = make(map[scope]map[uint64]int64)
	}
	index := a.nodes[*in]
	if index == nil {
		index = make(map[uint64]int64)
		a.nodes[*in] = index
		err := a.nodesOf(in, func(f wire.Field) error {
			const most = 500_000
			s, err := a.file.Text(f.Span, 1)
			if a.indexed++; a.indexed > most {
				err = evidence.ErrBudget
			}
			if _, ok := index[hashOf(s)]; !ok {
				index[hashOf(s)] = f.At
			}
			return err
		})
		if err != nil {
			return wire.Span{}, false, err
		}
	}
	const cost = 100 // of reading a node anywhere in the file, besides its fields
	if !a.file.Spend(cost) {
		return wire.Span{}, false, evidence.ErrBudget
	}
	at, ok := index[hashOf(name)]
	if !ok {
		return wire.Span{}, false, nil
	}
	f, err := a.file.Next(&wire.Span{Pos: at, End: in.End})
	if err != nil {
		return wire.Span{}, false, err
	}
	s, err := a.file.Text(f.Span, 1)
	return f.Span, s == name, err // other names may have the same hash
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) //nolint:errcheck // a hash does not fail
	return h.Sum64()
}

// nodesOf calls see for the nodes of a scope.
func (a *analysis) nodesOf(in *scope, see func(wire.Field) error) error {
	num := 1
	if in.kind == function {
		num = 3
	}
	return a.file.EachOf(in.Span, num, see)
}
