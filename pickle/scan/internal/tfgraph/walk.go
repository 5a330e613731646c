// The messages of TensorFlow's files.

// Package tfgraph finds the side effects of TensorFlow's graphs: it parses the protocol buffers of
// SavedModels, of graphs and of meta graphs, and their Keras metadata.
package tfgraph

import "github.com/weightools/safetensors/pickle/scan/internal/wire"

// The kinds of messages.
const (
	_ wire.Kind = iota
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
)

// schema says which fields of a message are messages or texts that matter.
var schema = wire.Schema{
	savedModel:    {2: metaGraph},
	metaGraph:     {2: graph, 3: saver, 6: asset, 7: objects},
	graph:         {1: node, 2: library},
	library:       {1: function},
	function:      {3: node},
	asset:         {1: tensorInfo},
	objects:       {1: object, 2: concrete},
	object:        {4: userObject},
	kerasMetadata: {1: kerasObject},
}

// A scope is a graph or a function, whose nodes refer to each other.
type scope struct {
	kind wire.Kind
	wire.Span
}

// walk visits the messages of a file whose outermost message has the given kind. Functions and
// graphs are scopes: see also gets the one that a message is in.
func walk(file *wire.File, root wire.Kind, see func(k wire.Kind, f wire.Field, in *scope) (bool, error)) error {
	var outermost *scope
	if root == graph {
		outermost = &scope{graph, file.All()}
	}
	return wire.Walk(file, schema, root, outermost,
		func(k wire.Kind, f wire.Field, in *scope) (*scope, bool, error) {
			if k == graph || k == function {
				in = &scope{k, f.Span}
			}
			enter, err := see(k, f, in)
			return in, enter, err
		})
}
