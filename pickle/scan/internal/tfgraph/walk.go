// The messages of TensorFlow's files.

// Package tfgraph finds what the graphs of TensorFlow do besides computing: it parses the protocol
// buffers of SavedModels, of graphs and of meta graphs, and the Keras metadata beside them.
package tfgraph

import (
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// A kind is a type of message.
type kind uint8

const (
	none kind = iota
	savedModel
	metaGraph
	graph
	node
	library
	function
	saver
	asset
	tensorInfo
	objects
	object
	userObject
	concrete
	concreteFunction
	kerasMetadata
	kerasObject
	collection // the last kind
)

// schema says which fields of a message are messages or texts that matter.
var schema = [...]map[int]kind{
	savedModel:    {2: metaGraph},
	metaGraph:     {2: graph, 3: saver, 6: asset, 7: objects},
	graph:         {1: node, 2: library},
	library:       {1: function},
	function:      {3: node},
	asset:         {1: tensorInfo},
	objects:       {1: object, 2: concrete},
	object:        {4: userObject},
	kerasMetadata: {1: kerasObject},
	collection:    nil,
}

// A visit receives the messages of a file. It returns false for messages that are not to be
// entered. Functions and graphs are scopes: it also gets the one that a message is in.
type visit func(k kind, f wire.Field, in *scope) (bool, error)

// A scope is a graph or a function, whose nodes refer to each other.
type scope struct {
	kind
	wire.Span
}

// walk visits the messages of a file whose outermost message has the given kind. Messages that
// cannot be parsed are skipped, as programs differ in how they read them.
func walk(file *wire.File, root kind, see visit) error {
	type open struct {
		kind
		wire.Span
		in *scope
	}
	stack := []open{{root, file.All(), nil}}
	if root == graph {
		stack[0].in = &scope{graph, file.All()}
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		f, err := file.Next(&top.Span)
		if err == io.EOF || errors.Is(err, wire.ErrInvalid) {
			stack = stack[:len(stack)-1]
			continue
		}
		if err != nil {
			return err
		}
		inner := schema[top.kind][f.Num]
		if inner == none || f.Type != wire.Bytes {
			continue
		}
		in := top.in
		if inner == graph || inner == function {
			in = &scope{inner, f.Span}
		}
		enter, err := see(inner, f, in)
		if err != nil {
			return err
		}
		if enter && schema[inner] != nil {
			stack = append(stack, open{inner, f.Span, in})
		}
	}
	return nil
}

// each calls see for the fields of a message that have the given number and are bytes.
func each(file *wire.File, span wire.Span, see func(f wire.Field) error) error {
	for {
		f, err := file.Next(&span)
		if err == io.EOF || errors.Is(err, wire.ErrInvalid) {
			return nil
		}
		if err == nil {
			err = see(f)
		}
		if err != nil {
			return err
		}
	}
}

// text returns the last field of a message that has the given number and is bytes. Of long texts
// it returns the beginning.
func text(file *wire.File, span wire.Span, num int) (s string, err error) {
	err = each(file, span, func(f wire.Field) error {
		if f.Num != num || f.Type != wire.Bytes {
			return nil
		}
		b, err := file.Read(f.Span, mostText)
		s = string(b)
		return err
	})
	return s, err
}

// mostText is the number of bytes of a name or path that are read.
const mostText = 4 << 10
