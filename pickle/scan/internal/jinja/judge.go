// The judgement of expressions and statements.

package jinja

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// A judge collects the findings in a template.
type judge struct {
	lexer
	found []Finding
	seen  map[string]bool // findings, to report each once
	built map[string]bool // variables that hold a text put together from pieces
	own   map[string]bool // variables of the template itself
	loops []float64       // how often each open loop runs, with those around it
}

// find reports a finding once.
func (j *judge) find(l Level, at int, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !j.seen[what] && len(j.found) < most {
		j.seen[what] = true
		j.found = append(j.found, Finding{l, what, at})
	}
}

// code judges the current expression or statement.
func (j *judge) code() {
	j.fold()
	t := j.tokens
	j.loop(t)
	for i := range t {
		switch t[i].kind {
		case str:
			j.literal(t, i)
		case name:
			j.name(t, i)
		case operator:
			if t[i].is("[") && i > 0 && operand(t[i-1]) {
				j.subscript(t, i)
			}
		}
	}
	j.assign(t)
}

// operand reports whether a value ends with the token.
func operand(t token) bool {
	if t.kind == operator {
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return t.kind == str || t.kind == name && !keywords()[t.text]
}

// keywords are the words after which a list begins.
var keywords = wordset.Of("in not and or if else elif is for set return print call")

// fold joins adjacent strings, and strings with "~" or "+" between them, as Jinja does when the
// template runs.
func (j *judge) fold() {
	out := j.tokens[:0]
	for i := 0; i < len(j.tokens); i++ {
		t := j.tokens[i]
		if t.kind != str || len(out) == 0 {
			out = append(out, t)
			continue
		}
		last := len(out) - 1
		if out[last].kind == str {
			out[last].text = join(out[last].text, t.text)
			continue
		}
		if (out[last].is("~") || out[last].is("+")) && last > 0 && out[last-1].kind == str {
			out[last-1].text = join(out[last-1].text, t.text)
			out = out[:last]
			continue
		}
		out = append(out, t)
	}
	j.tokens = out
}

// join returns the concatenation of two strings, unless it is longer than any name.
func join(a, b string) string {
	const longest = 1000
	if len(a)+len(b) > longest {
		return a[max(0, len(a)-longest):] + b
	}
	return a + b
}

// literal judges a string.
func (j *judge) literal(t []token, i int) {
	s := t[i].text
	if w, ok := leads(s); ok && (w != "mro" || i > 0 && (t[i-1].is("[") || t[i-1].is("("))) {
		j.find(Escape, t[i].at, "it has a string with the attribute %s", w)
		return
	}
	if inFormat().MatchString(s) {
		j.find(Escape, t[i].at, "it has a format that reads a private attribute")
	}
	if r := reversed(s); strings.Contains(r, "__") {
		if w, ok := leads(r); ok && w != s {
			j.find(Escape, t[i].at, "it has a string with the attribute %s, reversed", w)
		}
	}
	if i > 1 && i+1 < len(t) && t[i-1].is("[") && t[i+1].is("]") && operand(t[i-2]) && strings.HasPrefix(s, "__") {
		j.attribute(s, t[i].at)
	}
	if i > 1 && i+1 < len(t) && t[i-1].is("[") && t[i+1].is("]") && operand(t[i-2]) && formats()[s] {
		j.find(Odd, t[i].at, "it reads the method %s, which can read any attribute", s)
	}
}

// reversed returns a short string backwards.
func reversed(s string) string {
	const longest = 200
	b := []byte(s[:min(len(s), longest)])
	for i, k := 0, len(b)-1; i < k; i, k = i+1, k-1 {
		b[i], b[k] = b[k], b[i]
	}
	return string(b)
}

// attribute judges the name of an attribute.
func (j *judge) attribute(s string, at int) {
	if w, ok := leads(s); ok {
		j.find(Escape, at, "it reads the attribute %s", w)
	} else if strings.HasPrefix(s, "__") {
		j.find(Escape, at, "it reads a private attribute")
	} else if strings.HasPrefix(s, "_") && len(s) > 1 {
		j.find(Odd, at, "it reads a private attribute")
	}
}

// name judges a name.
func (j *judge) name(t []token, i int) {
	s := t[i].text
	called := i+1 < len(t) && t[i+1].is("(")
	switch {
	case i > 0 && t[i-1].is("."):
		j.attribute(s, t[i].at)
		if called && formats()[s] && !j.plain(t[:i-1]) {
			j.find(Odd, t[i].at, "it formats a text that is known only when it runs, which can read any attribute")
		}
		if called && calls()[s] {
			j.find(Odd, t[i].at, "it calls %s", s)
		}
	case i > 0 && t[i-1].is("|"):
		j.filter(t, i)
		if s == "string" && i+2 < len(t) && t[i+1].is("|") && (t[i+2].named("list") || t[i+2].named("first")) {
			j.find(Odd, t[i].at, "it takes the description of an object apart")
		}
	default:
		j.variable(t, i, called)
	}
}

// plain reports whether the value at the end of t is a string or a variable, and not the result of an expression.
func (j *judge) plain(t []token) bool {
	n := len(t)
	if n == 0 || t[n-1].kind == str {
		return true
	}
	return t[n-1].kind == name && (n == 1 || !t[n-2].is(".") && !t[n-2].is("|")) && !j.built[t[n-1].text]
}

// variable judges a name that is not an attribute.
func (j *judge) variable(t []token, i int, called bool) {
	s := t[i].text
	if w, ok := leads(s); ok && w != "mro" {
		j.find(Escape, t[i].at, "it uses the name %s", w)
		return
	}
	if strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__") && len(s) > 4 {
		j.find(Odd, t[i].at, "it uses a private name")
	}
	reads := called || i+1 < len(t) && (t[i+1].is(".") || t[i+1].is("[") || t[i+1].is("|"))
	argument := i+1 < len(t) && t[i+1].is("=")
	if argument && s == "attribute" && !(j.block && i == 1) {
		j.argument(t[i+2:], t[i].at)
	}
	if bare()[s] && reads && !argument && !j.own[s] {
		j.find(Odd, t[i].at, "it uses %s, for which a template has no use", s)
	}
	if called && calls()[s] && !bare()[s] {
		j.find(Odd, t[i].at, "it calls %s", s)
	}
	if s == "dict" && called && joined(t[i:]) {
		j.find(Odd, t[i].at, "it puts a name together from the keys of a dictionary")
	}
}

// joined reports whether the call at the beginning of t is followed by a filter that makes a text
// of its result.
func joined(t []token) bool {
	open := 0
	for i := range t[:min(len(t), 60)] {
		switch {
		case t[i].is("("):
			open++
		case t[i].is(")"):
			if open--; open == 0 {
				return i+2 < len(t) && t[i+1].is("|") && (t[i+2].named("join") || t[i+2].named("first") ||
					t[i+2].named("list") || t[i+2].named("string") || t[i+2].named("last"))
			}
		}
	}
	return false
}

// filter judges a filter that reads an attribute of a given name.
func (j *judge) filter(t []token, i int) {
	if i+1 >= len(t) || !t[i+1].is("(") {
		return
	}
	args := t[i+2:]
	switch t[i].text {
	case "map", "select", "reject":
		if len(args) < 2 || args[0].kind != str || args[0].text != "attr" || !args[1].is(",") {
			return
		}
		args = args[2:]
	case "attr":
		if args[0].kind == str && formats()[args[0].text] {
			j.find(Odd, t[i].at, "it reads the method %s, which can read any attribute", args[0].text)
		}
	case "groupby", "selectattr", "rejectattr":
	default:
		at, ok := positions[t[i].text]
		if args = nth(args, at); ok && args != nil && !(len(args) > 1 && args[0].kind == name && args[1].is("=")) {
			j.argument(args, t[i].at)
		}
		return
	}
	if len(args) > 2 && args[0].kind == name && args[1].is("=") {
		args = args[2:]
	}
	j.argument(args, t[i].at)
}

// positions are the positions of the attribute's name among the arguments of filters that usually go without one.
var positions = map[string]int{"sum": 0, "join": 1, "min": 1, "max": 1, "unique": 1, "sort": 2}

// nth returns the arguments of a call from the n-th on, or nil if there are fewer.
func nth(args []token, n int) []token {
	open := 0
	for i, t := range args {
		closes := t.is(")") || t.is("]") || t.is("}")
		switch {
		case open == 0 && closes:
			return nil
		case open == 0 && n == 0:
			return args[i:]
		case open == 0 && t.is(","):
			n--
		case closes:
			open--
		case t.is("("), t.is("["), t.is("{"):
			open++
		}
	}
	return nil
}

// argument judges the name of an attribute that a filter reads.
func (j *judge) argument(args []token, at int) {
	if len(args) > 1 && (args[0].kind == str || args[0].kind == number) && (args[1].is(")") || args[1].is(",")) {
		j.attribute(args[0].text, args[0].at)
		return
	}
	j.find(Odd, at, "it reads an attribute whose name is known only when it runs")
}

// subscript judges what is between brackets. Jinja reads an attribute if there is no such
// item.
func (j *judge) subscript(t []token, i int) {
	open := 0
	for k := i; k < len(t); k++ {
		switch {
		case t[k].is("["):
			open++
		case t[k].is("]"):
			if open--; open == 0 {
				if j.builds(t[i+1 : k]) {
					j.find(Odd, t[i].at, "it reads an item whose name is put together when it runs")
				}
				return
			}
		case k > i+40: // longer than any index
			return
		}
	}
}

// builds reports whether an expression makes a text of pieces that may be the name of an
// attribute.
func (j *judge) builds(t []token) bool {
	for i := range t {
		switch {
		case t[i].is("~"), t[i].is("%") && i > 0 && t[i-1].kind == str:
			return true
		case t[i].is("*") && (i > 0 && t[i-1].kind == str || i+1 < len(t) && t[i+1].kind == str):
			return true
		case t[i].is("+") && (i > 0 && t[i-1].kind == str || i+1 < len(t) && t[i+1].kind == str):
			return true
		case t[i].kind == name && i > 0 && (t[i-1].is("|") || t[i-1].is(".")) && builders()[t[i].text]:
			return true
		case t[i].kind == name && (i == 0 || !t[i-1].is(".")) && j.built[t[i].text]:
			return true
		}
	}
	return false
}

// builders are the filters and methods that make a text of pieces.
var builders = wordset.Of(`join format format_map reverse replace pop urlencode xmlattr translate decode lower upper
string`)

// assign records the variables that a statement sets, and those that hold a text put together
// from pieces.
func (j *judge) assign(t []token) {
	if j.block && len(t) > 1 && t[0].named("set") && t[1].kind == name && (len(t) == 2 || t[2].is("|")) {
		j.own[t[1].text], j.built[t[1].text] = true, true // its value is the text up to endset
		return
	}
	if !j.block || len(t) < 3 {
		return
	}
	switch t[0].text {
	case "for", "macro", "call", "with", "set":
		built, target := j.builds(t[1:]) && j.pieces(t[1:]), true
		for i := 1; i < len(t); i++ {
			target = target && !t[i].is("=") && !t[i].named("in")
			if t[i].kind != name || !target && (i+1 == len(t) || !t[i+1].is("=")) {
				continue
			}
			if target {
				j.own[t[i].text] = true
			}
			if built {
				j.built[t[i].text] = true
			}
		}
	}
	if t[0].text != "set" || t[1].kind != name {
		return
	}
	value := t[2:]
	if len(t) > 4 && t[2].is(".") { // an attribute of a namespace
		value = t[4:]
	}
	if len(value) > 1 && value[0].is("=") && j.pieces(value[1:]) {
		j.built[t[1].text] = true
	}
}

// pieces reports whether an expression may put the name of a private attribute together.
func (j *judge) pieces(value []token) bool {
	for i, v := range value {
		after := i > 0 && (value[i-1].is(".") || value[i-1].is("|"))
		switch {
		case v.kind == str && len(value) == 1:
			return v.text != "" && strings.Trim(v.text, "_") == ""
		case v.kind == str && strings.Contains(v.text, "_") && (len(v.text) <= 3 || strings.Contains(v.text, "__")):
			return true
		case v.kind == name && after && v.text == "join", v.kind == name && !after && j.built[v.text]:
			return true
		}
	}
	return false
}

// rest searches a template that Jinja refuses, from the place where it does.
func (j *judge) rest() {
	for _, w := range dunder().FindAll(j.lexer.text[j.start:], most) {
		if special()[string(w)] {
			j.find(Odd, j.start, "it is no valid template, and has the attribute %s", w)
		}
	}
}
