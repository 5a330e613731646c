// Tallies: many tensors that are at fault in one way, told in one line.

package checkpoint

import (
	"fmt"
	"iter"

	"github.com/weightools/safetensors"
)

// A tally counts tensors, and keeps the first.
type tally struct {
	n     int
	first string
	at    safetensors.Span // of the first, in the index
}

// are says which tensors, as the subject of a sentence:
//
//	tensor "a" is
//	212 tensors, the first "a", are
func (t *tally) are() string {
	if t.n == 1 {
		return "tensor " + quote(t.first) + " is"
	}
	return fmt.Sprintf("%d tensors, the first %s, are", t.n, quote(t.first))
}

// it returns the pronoun for the tensors.
func (t *tally) it() string {
	if t.n == 1 {
		return "it"
	}
	return "them"
}

// ofIndex says which tensors, as the end of a sentence.
func (t *tally) ofIndex() string {
	if t.n == 1 {
		return "1 tensor of the index, " + quote(t.first)
	}
	return fmt.Sprintf("%d tensors of the index, the first %s", t.n, quote(t.first))
}

// tallies are tallies by what their tensors have in common, in the order in
// which they were begun.
type tallies[K comparable] struct {
	keys []K
	by   map[K]*tally
}

func newTallies[K comparable]() *tallies[K] { return &tallies[K]{by: make(map[K]*tally)} }

// add counts a tensor. It returns the tally, of which it may be the first.
func (t *tallies[K]) add(key K, tensor string, at safetensors.Span) *tally {
	one := t.by[key]
	if one == nil {
		one = &tally{first: tensor, at: at}
		t.by[key] = one
		t.keys = append(t.keys, key)
	}
	one.n++
	return one
}

func (t *tallies[K]) all() iter.Seq2[K, *tally] {
	return func(yield func(K, *tally) bool) {
		for _, key := range t.keys {
			if !yield(key, t.by[key]) {
				return
			}
		}
	}
}
