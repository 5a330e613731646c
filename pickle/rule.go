// Rules: the one table of what can be found in a pickle.

package pickle

import "iter"

// A Rule is one reason for a verdict, by name. Names do not change.
type Rule string

// A law is what the table says of a Rule.
type law struct {
	rule Rule
	text string // what is found, as a sentence
}

var laws = [...]law{}

// Rules yields every rule, in the order of the table.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range laws {
			if !yield(laws[i].rule) {
				return
			}
		}
	}
}

// Text returns what r says, as a sentence.
func (r Rule) Text() string {
	for i := range laws {
		if laws[i].rule == r {
			return laws[i].text
		}
	}
	return ""
}
