// Package jinja judges Jinja templates without running them: whether they reach for what a
// template has no use for, the private attributes through which any object leads to Python's
// modules.
//
// Jinja's sandbox refuses these attributes, so such a template works only in programs that use
// none, as llama-cpp-python did until version 0.2.72, or where the sandbox has a gap. A
// template that has a purpose does not contain them.
package jinja

// A Level says how bad a finding is.
type Level uint8

// The levels.
const (
	// Odd is an expression whose meaning is known only when it runs, in a form that hides
	// attributes.
	Odd Level = iota
	// Busy takes so long that the program does not answer any more.
	Busy
	// Escape reaches for an attribute that leads out of the template.
	Escape
)

// A Finding is an expression that does more than fill in a text.
type Finding struct {
	Level Level
	What  string // what it does, as a sentence without its end
	At    int    // offset in bytes
}

// most is the maximum number of findings in a template.
const most = 100

// Judge returns the findings in a template, in order. If it is sure that the text is a template,
// what Jinja refuses counts, too. Spend is called with the size of each expression, which takes
// about fifty nanoseconds for each byte; if it returns false, the rest is not judged, and ok is
// false.
func Judge(text []byte, sure bool, spend func(bytes int) bool) (found []Finding, ok bool) {
	j := &judge{lexer: lexer{text: text}, built: make(map[string]bool), own: make(map[string]bool),
		seen: make(map[string]bool)}
	last := 0
	for j.nextCode() && len(j.found) < most {
		if !spend(j.pos - max(j.start, last)) {
			return j.found, false
		}
		last = j.pos
		j.code()
	}
	if j.broken && sure {
		j.rest()
	}
	return j.found, true
}
