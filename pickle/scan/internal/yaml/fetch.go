// The next token: scanner.py of PyYAML, method by method.

package yaml

import (
	"bytes"
	"strings"
)

// fetch scans the next tokens.
func (s *scanner) fetch() {
	s.toNextToken()
	s.staleKeys()
	s.unwind(s.column())
	if s.err != nil {
		return
	}
	c := s.peek(0)
	switch {
	case s.pos == len(s.text):
		s.reset()
		s.keys, s.firstKey, s.done = s.keys[:0], 0, true
		s.push(token{kind: streamEnd, at: s.pos})
	case c == '%' && s.column() == 0:
		s.reset()
		s.directive()
	case s.column() == 0 && s.separator():
		s.reset()
		s.indicator(either(c == '-', documentStart, documentEnd), 3)
	case c == '[' || c == '{':
		s.saveKey()
		s.level++
		s.allowKey = true
		s.indicator(either(c == '[', flowSequence, flowMapping), 1)
	case c == ']' || c == '}':
		s.dropKey()
		s.level--
		s.allowKey = false
		s.indicator(either(c == ']', flowSequenceEnd, flowMappingEnd), 1)
	case c == ',':
		s.dropKey()
		s.allowKey = true
		s.indicator(flowEntry, 1)
	case c == '-' && s.blankAt(1):
		s.blockEntry()
	case c == '?' && (s.level != 0 || s.blankAt(1)):
		s.explicitKey()
	case c == ':' && (s.level != 0 || s.blankAt(1)):
		s.value()
	case c == '|' && s.level == 0 || c == '>' && s.level == 0:
		s.dropKey()
		s.allowKey = true
		s.blockScalar(c == '>')
	default:
		s.node(c)
	}
}

// node scans a token that may begin a simple key.
func (s *scanner) node(c byte) {
	scan := s.plainScalar
	switch {
	case c == '*' || c == '&':
		scan = s.anchor
	case c == '!':
		scan = s.tag
	case c == '\'' || c == '"':
		scan = s.quoted
	case !s.startsPlain(c):
		s.fail(s.pos, "the character %q cannot begin a token", rune(c))
		return
	}
	s.saveKey()
	s.allowKey = false
	if s.err == nil {
		scan()
	}
}

// startsPlain reports whether a scalar without quotes begins here.
func (s *scanner) startsPlain(c byte) bool {
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", c) < 0 {
		return !s.blankAt(0)
	}
	return !s.blankAt(1) && (c == '-' || s.level == 0 && (c == '?' || c == ':'))
}

// toNextToken skips spaces, comments and line breaks.
func (s *scanner) toNextToken() {
	if s.pos == 0 && bytes.HasPrefix(s.text, []byte("\ufeff")) {
		s.forward(len("\ufeff"))
	}
	for {
		s.spaces()
		s.comment()
		if s.newLine() == nil {
			return
		}
		if s.level == 0 {
			s.allowKey = true
		}
	}
}

// unwind ends the blocks that are indented more than column.
func (s *scanner) unwind(column int) {
	for s.level == 0 && s.indent > column {
		s.indent = s.indents[len(s.indents)-1]
		s.indents = s.indents[:len(s.indents)-1]
		s.push(token{kind: blockEnd, at: s.pos})
	}
}

// reset ends all blocks.
func (s *scanner) reset() {
	s.unwind(-1)
	s.dropKey()
	s.allowKey = false
}

// indented begins a block at a column, unless it is in one already.
func (s *scanner) indented(column int) bool {
	if s.indent >= column {
		return false
	}
	s.indents = append(s.indents, s.indent)
	s.indent = column
	return true
}

// begins begins a block here, unless it is in one already or in brackets. It reports whether the
// indicator of one of its entries may be here.
func (s *scanner) begins(block kind, entry string) bool {
	switch {
	case s.level != 0:
	case !s.allowKey:
		s.fail(s.pos, "%s is not allowed here", entry)
		return false
	case s.indented(s.column()):
		s.push(token{kind: block, at: s.pos})
	}
	return true
}

// indicator adds a token of n bytes.
func (s *scanner) indicator(k kind, n int) {
	s.push(token{kind: k, at: s.pos})
	s.forward(n)
}

// blockEntry scans the "-" of a sequence.
func (s *scanner) blockEntry() {
	if !s.begins(blockSequence, "a sequence entry") {
		return
	}
	s.allowKey = true
	s.dropKey()
	s.indicator(blockEntry, 1)
}

// explicitKey scans the "?" of a key.
func (s *scanner) explicitKey() {
	if !s.begins(blockMapping, "a mapping key") {
		return
	}
	s.allowKey = s.level == 0
	s.dropKey()
	s.indicator(keyToken, 1)
}

// value scans the ":" of a value. If a simple key precedes it, its hole is filled.
func (s *scanner) value() {
	if n := len(s.keys); n > s.firstKey && s.keys[n-1].level == s.level {
		key := s.keys[n-1]
		s.keys = s.keys[:n-1]
		at := key.number - s.base
		if s.level == 0 && s.indented(key.column) {
			s.tokens[at].kind = blockMapping
			at++
		}
		s.tokens[at].kind = keyToken
		s.allowKey = false
		s.indicator(valueToken, 1)
		return
	}
	if !s.begins(blockMapping, "a mapping value") {
		return
	}
	s.allowKey = s.level == 0
	s.dropKey()
	s.indicator(valueToken, 1)
}
