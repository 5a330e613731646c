// Signatures: what identifies a family or a version.

package identity

import "iter"

// A Signature describes the models of a family, or of a version if it refines another signature.
type Signature struct {
	ID     string
	Kind   Kind
	Family string

	// Versions are the versions that match. Several have the same names and shapes, for the reason Because.
	Versions []string
	Because  string

	Says    string   // a sentence about the model, or ""
	Sources []string // project, file and revision

	own        bool // of a user
	fallback   bool // matches only where no other signature does
	line       int
	parent     *Signature
	depth      int // how many signatures it refines, directly or not
	children   []*Signature
	conditions []condition
}

// A verb is the kind of a condition.
type verb int

const (
	has verb = iota
	lacks
	layers
	ends
	metadata
	member
	tensors
	architecture
	size
)

// verbs are the words of conditions in files.
var verbs = map[string]verb{
	"has": has, "lacks": lacks, "layers": layers, "ends": ends, "metadata": metadata, "config": member,
	"tensors": tensors, "architecture": architecture, "size": size,
}

// A condition is one line of a signature.
type condition struct {
	verb      verb
	any       []pattern // has, lacks: alternatives
	words     []string  // architecture: alternatives
	key       string    // layers: the prefix; ends: the word; metadata and config: the key; size: of what
	value     string    // metadata and config: a pattern, or "" for any value
	low, high int64     // layers, tensors and size
}

// A pattern selects a tensor.
type pattern struct {
	name     string
	shape    []int64 // anyDim matches each number; nil matches each shape
	absolute bool    // the name is complete
	numbered bool    // the name has "#" for each number
	prefix   bool    // the name is the beginning of others, up to a dot
	elements int     // in the name, which dots separate
}

// prefixElements is one more than the words that prefixes have, the root included: no more are indexed.
const prefixElements = 6

// anyDim is a dimension of any size.
const anyDim = -1

// Signatures are a set of signatures.
type Signatures struct {
	list    []*Signature
	byID    map[string]*Signature
	anchors map[string][]anchor // by numbered name
	longest int                 // the number of elements of the longest name among anchors
	rooted  []*Signature        // those without a name to find them by
}

// An anchor is a name by which a signature is found.
type anchor struct {
	of *Signature
	p  *pattern
}

// All yields the signatures in the order of their files.
func (s *Signatures) All() iter.Seq[*Signature] {
	return func(yield func(*Signature) bool) {
		for _, one := range s.list {
			if !yield(one) {
				return
			}
		}
	}
}

// Refines returns the signature that this one refines, or nil.
func (s *Signature) Refines() *Signature { return s.parent }

// Refined returns the signatures that refine this one.
func (s *Signature) Refined() []*Signature { return s.children }
