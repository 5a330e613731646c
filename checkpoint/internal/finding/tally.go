// Tensors with the same fault, reported in one line.

package finding

import (
	"fmt"
	"iter"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// A Tally counts tensors with the same fault and keeps the first.
type Tally struct {
	N     int
	First string
	At    safetensors.Span // of the first, in the index
}

// Are returns the tensors as the subject of a sentence:
//
//	tensor "a" is
//	212 tensors, the first "a", are
func (t *Tally) Are() string {
	if t.N == 1 {
		return "tensor " + wording.Quote(t.First) + " is"
	}
	return fmt.Sprintf("%d tensors, the first %s, are", t.N, wording.Quote(t.First))
}

// It returns the pronoun for the tensors.
func (t *Tally) It() string {
	if t.N == 1 {
		return "it"
	}
	return "them"
}

// OfIndex returns the tensors as the end of a sentence.
func (t *Tally) OfIndex() string {
	if t.N == 1 {
		return "1 tensor of the index, " + wording.Quote(t.First)
	}
	return fmt.Sprintf("%d tensors of the index, the first %s", t.N, wording.Quote(t.First))
}

// Tallies are tallies by what their tensors have in common, in the order of their first
// tensors.
type Tallies[K comparable] struct {
	keys []K
	by   map[K]*Tally
}

// NewTallies returns empty tallies.
func NewTallies[K comparable]() *Tallies[K] { return &Tallies[K]{by: make(map[K]*Tally)} }

// Add counts a tensor and returns its tally.
func (t *Tallies[K]) Add(key K, tensor string, at safetensors.Span) *Tally {
	one := t.by[key]
	if one == nil {
		one = &Tally{First: tensor, At: at}
		t.by[key] = one
		t.keys = append(t.keys, key)
	}
	one.N++
	return one
}

// All yields the tallies.
func (t *Tallies[K]) All() iter.Seq2[K, *Tally] {
	return func(yield func(K, *Tally) bool) {
		for _, key := range t.keys {
			if !yield(key, t.by[key]) {
				return
			}
		}
	}
}
