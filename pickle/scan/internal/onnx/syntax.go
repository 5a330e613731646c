// Models in the textual syntax of ONNX.

package onnx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// IsSyntax reports whether a text, by its first bytes, is a model in the syntax of onnx.parser: it begins with a list
// of the properties of the model.
func IsSyntax(head []byte) bool {
	l := lexer{text: head}
	return l.next() == "<" && slices.Contains(First, l.next()) && l.next() == ":"
}

// AnalyzeSyntax reads a model in the syntax of onnx.parser (onnx/defs/parser.cc). A node is y = domain.Name
// <attributes> (x). Graphs and functions have nodes in braces; an attribute can be a graph. The error is about the
// text.
func AnalyzeSyntax(text []byte) (*evidence.Report, error) {
	a := &analysis{functions: make(map[operator]bool), seen: make(map[operator]bool)}
	a.Format = "onnx-text"
	s := syntax{analysis: a, lexer: lexer{text: text}, parens: -1}
	for {
		s.older = [3]string{s.word, s.older[0], s.older[1]}
		if s.word = s.next(); s.word == "" {
			break
		}
		if err := s.step(); err != nil {
			return &a.Report, err
		}
	}
	if s.fault == "" && (s.depth != 0 || s.graphs == 0) {
		s.fault = "the braces of a graph are missing"
	}
	if s.fault != "" {
		return &a.Report, fmt.Errorf("at byte %d: %s", s.pos, s.fault)
	}
	return &a.Report, s.end()
}

// A syntax is the state of reading a model.
type syntax struct {
	*analysis
	lexer
	word  string
	older [3]string // the words before it, the last one first
	depth int       // of braces

	name   string // a word that may be the name of an operator or of a graph
	begin  int    // where it begins
	parens int    // that are open behind the name, -1 if none was, 0 if they are closed
	domain string // of the function that follows
}

// step examines a word.
func (s *syntax) step() error {
	if err := s.decide(); err != nil {
		return err
	}
	last := s.older[0]
	switch c := s.word[0]; {
	case c == '"':
		s.text()
	case c == '{':
		s.depth++
	case c == '}':
		s.depth--
	case isLetter(c) && s.parens < 0 && (last == "=" || last == ">" ||
		s.depth > 0 && (last == "{" || last == ")" || last == "}")):
		s.name, s.begin = s.word, s.lexer.begin
	}
	return nil
}

// decide finds out whether the last name is that of an operator: its arguments are in parentheses behind it, or behind
// its attributes. An arrow follows those of a graph or function.
func (s *syntax) decide() error {
	if s.name == "" {
		return nil
	}
	switch {
	case s.parens < 0 && s.word == "(":
		s.parens = 1
		return nil
	case s.parens < 0 && s.depth == 0 && s.word == "<": // the attributes of a function
		s.define()
	case s.parens < 0 && (s.word == "<" || s.word == ":"):
		return s.operator()
	case s.parens > 0 && s.word == "(":
		s.parens++
		return nil
	case s.parens > 0 && s.word == ")":
		s.parens--
		return nil
	case s.parens > 0:
		return nil
	case s.parens == 0 && s.word == "=>":
		if s.depth == 0 {
			s.define()
		}
	case s.parens == 0 && s.depth > 0:
		return s.operator()
	}
	s.name, s.parens = "", -1
	return nil
}

// define records the graph of the model or a function.
func (s *syntax) define() {
	if s.graphs++; s.graphs > 1 {
		s.functions[operator{s.domain, s.name}] = true
	}
}

// operator examines the operator of a node.
func (s *syntax) operator() error {
	o := operator{name: s.name}
	if dot := strings.LastIndexByte(s.name, '.'); dot >= 0 {
		o = operator{s.name[:dot], s.name[dot+1:]}
	}
	s.name, s.parens = "", -1
	return s.uses(o, int64(s.begin))
}

// text examines a string: the value of a key in quotes, such as the location of external data, or of a name.
func (s *syntax) text() {
	value, key := s.word[1:], ""
	if s.older[0] == ":" && strings.HasPrefix(s.older[1], `"`) {
		key = s.older[1][1:]
	}
	switch {
	case key == "location":
		s.location(value, int64(s.lexer.begin))
	case s.older[0] == ":" && s.older[1] == "domain" && s.depth == 0:
		s.domain = value
	}
	s.Keep(key, []byte(value), int64(s.lexer.begin))
}

// end reports what is known at the end of the text.
func (s *syntax) end() error {
	if len(s.functions) > mostKept {
		return evidence.ErrBudget
	}
	s.others()
	return nil
}

// A lexer splits a text into words: names with dots, numbers, strings, "=>", and single characters.
type lexer struct {
	text  []byte
	pos   int
	begin int // of the last word
	fault string
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '.' }

// next returns the next word, "" at the end or at a fault. A string begins with its quote, and its escapes are
// resolved.
func (l *lexer) next() string {
	for l.pos < len(l.text) && (l.text[l.pos] <= ' ' || l.text[l.pos] == '#') {
		if l.text[l.pos] == '#' {
			for l.pos < len(l.text) && l.text[l.pos] != '\n' {
				l.pos++
			}
			continue
		}
		l.pos++
	}
	l.begin = l.pos
	if l.pos >= len(l.text) {
		return ""
	}
	c := l.text[l.pos]
	l.pos++
	switch {
	case c == '"':
		return l.quoted()
	case c == '=' && l.pos < len(l.text) && l.text[l.pos] == '>':
		l.pos++
	case isWord(c):
		for l.pos < len(l.text) && isWord(l.text[l.pos]) {
			l.pos++
		}
	case c >= 0x80 || c == 0x7f:
		l.fault = "a character outside of a string is not ASCII"
		return ""
	}
	return string(l.text[l.begin:l.pos])
}

// quoted returns a string without its last quote.
func (l *lexer) quoted() string {
	value := []byte{'"'}
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		switch {
		case c == '"':
			return string(value)
		case c == '\\' && l.pos < len(l.text):
			c = l.text[l.pos]
			l.pos++
		}
		value = append(value, c)
	}
	l.fault = "a string has no end"
	return ""
}
