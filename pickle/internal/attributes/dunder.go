// Names with double underscores.

// Package attributes finds what gives a pickle access to the interpreter in the states of objects: attributes with
// double underscores, and texts that a class executes.
package attributes

import (
	"iter"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// DunderKeys yields the attribute names in a state that give access to the interpreter, at most one for each dict. A
// state is a dict, or a tuple of two dicts; the second one can set attributes that the class protects.
func DunderKeys(state heap.Value, look heap.Look) iter.Seq[heap.Value] {
	return func(yield func(heap.Value) bool) {
		if state.Kind() == heap.KindTuple && state.Len() == 2 {
			if key, ok := dunderKey(state.Item(0), look); ok && !yield(key) {
				return
			}
			state = state.Item(1)
		}
		if key, ok := dunderKey(state, look); ok {
			yield(key)
		}
	}
}

// dunderKey returns the first such key of one dict. The attributes themselves, as a dict under the key __dict__, are
// checked in turn.
func dunderKey(v heap.Value, look heap.Look) (found heap.Value, ok bool) {
	for key, value := range look(v).Pairs() {
		if s, _ := key.Str(); s == "__dict__" && value.Kind() == heap.KindDict {
			for inner := range look(value).Pairs() {
				if setsDunder(inner) {
					return inner, true
				}
			}
		} else if setsDunder(key) {
			return key, true
		}
	}
	return heap.Value{}, false
}

// setsDunder reports whether a key gives access to the interpreter. A key that is too long to read counts as one.
func setsDunder(key heap.Value) bool {
	s, ok := key.Str()
	return ok && names.IsDunder(s) && !describes(s) || !ok && key.Kind() == heap.KindStr
}

// describes reports whether an attribute only describes an object, or belongs to Pydantic's models, and gives no access
// to the interpreter.
func describes(s string) bool {
	switch s {
	case "__doc__", "__annotations__", "__orig_class__", "__version__", "__pydantic_fields_set__",
		"__pydantic_extra__", "__pydantic_private__":
		return true
	}
	return false
}
