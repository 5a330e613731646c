// Package yaml parses YAML as PyYAML does, without recursion and in linear time. It does not
// build a tree: a Visitor receives the nodes.
//
// The scanner and the parser follow PyYAML 6 (scanner.py and parser.py) step by
// step, because what counts is what PyYAML accepts, not what the specification says.
package yaml

// A Visitor receives the nodes of a text in their order. A Value is valid only during the call.
type Visitor interface {
	// Open begins a mapping or a sequence.
	Open(mapping bool, n Node)
	// Close ends the last mapping or sequence.
	Close()
	// Scalar is a scalar.
	Scalar(n Node)
	// Alias refers to the node with that anchor.
	Alias(n Node)
	// End ends a document. PyYAML creates the objects of a document when it has read all
	// of it.
	End()
}

// A Node describes a node.
type Node struct {
	Value  []byte // of a scalar, or name of an alias
	Tag    string // in full, "" if there is none
	Anchor string
	Plain  bool  // a scalar without quotes
	At     int64 // offset of the node or its tag, in bytes
}

// Standard is the prefix of the tags of YAML itself; the handle "!!" is short for it.
const Standard = "tag:yaml.org,2002:"

// Handles returns the handles of tags, with their prefixes, that no document has to declare.
func Handles() map[string]string { return map[string]string{"!": "!", "!!": Standard} }

// MaxDepth limits the nesting of collections, as libyaml does. PyYAML, which recurses, ends
// earlier.
const MaxDepth = 1000
