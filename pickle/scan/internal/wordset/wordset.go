// Package wordset makes sets of words at first use: most runs of a program need few of them.
package wordset

import (
	"strings"
	"sync"
)

// Of returns a function that returns the words of the texts as a set, and makes the set at the first call.
func Of(texts ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for _, text := range texts {
			for word := range strings.FieldsSeq(text) {
				set[word] = true
			}
		}
		return set
	})
}
