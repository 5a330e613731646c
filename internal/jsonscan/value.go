// Values: lazy access to members and elements.

package jsonscan

import (
	"bytes"
	"iter"
)

// A Value is a JSON value in a text that Parse has validated. Looking up a member scans the value
// again. For the few members that are needed of a configuration, that is faster than building a
// tree and needs no memory. The zero Value represents a missing member: it has kind 0 and no
// members.
type Value struct {
	text    []byte
	key, at int // offsets in the text of Parse: of the quote before the member's name, and of the value
}

// Parse validates a text and returns its value.
func Parse(text []byte) (Value, error) {
	s := New(text)
	begin, _, err := s.Skip()
	end := s.Pos()
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return Value{}, err
	}
	return Value{text[begin:end], begin, begin}, nil
}

// WithoutNaN returns text with zeros instead of NaN and Infinity, padded with spaces to keep
// offsets. Python's package json writes these words, which are not valid JSON. If there are any,
// the result is a copy.
func WithoutNaN(text []byte) []byte {
	copied, inString := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == 'N' || c == 'I'):
			word := text[i : i+noNumber(text[i:])]
			if len(word) == 0 {
				continue
			}
			if !copied {
				text, copied = bytes.Clone(text), true
			}
			word = text[i : i+len(word)]
			copy(word, "0       ")
			i += len(word) - 1
		}
	}
	return text
}

// noNumber returns the length of the word NaN or Infinity at the start of b, or 0.
func noNumber(b []byte) int {
	for _, word := range [...]string{"NaN", "Infinity"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// Kind returns the kind of the value, or 0 for the zero Value.
func (v Value) Kind() Kind {
	s := New(v.text)
	return s.Next()
}

// Get returns the named member of an object, or the last one if there are several. For a missing
// member or a value of another kind it returns the zero Value.
func (v Value) Get(name string) Value { return v.Pick(name)[0] }

// Pick returns several members, as Get does, in one scan.
func (v Value) Pick(names ...string) []Value {
	found := make([]Value, len(names))
	v.each(func(s *Scanner, key Str, member Value) bool {
		b := s.Text(key.Begin, key.End)
		if key.Escaped {
			b = Unescape(bytes.Clone(b))
		}
		for i, name := range names {
			if string(b) == name {
				found[i] = member
			}
		}
		return true
	})
	return found
}

// Members yields the members of an object in order. It yields nothing for a value of another kind.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		v.each(func(s *Scanner, key Str, member Value) bool { return yield(s.unescaped(key), member) })
	}
}

// each calls member for each member of an object until it returns false.
func (v Value) each(member func(*Scanner, Str, Value) bool) {
	s := New(v.text)
	if s.Next() != Object || s.Open(Object) != nil {
		return
	}
	for first := true; ; first = false {
		if more, err := s.More(Object, first); !more || err != nil {
			return
		}
		key, err := s.Key()
		if err != nil {
			return
		}
		begin, _, err := s.Skip()
		if err != nil || !member(&s, key, Value{s.Text(begin, s.Pos()), v.at + key.Begin - 1, v.at + begin}) {
			return
		}
	}
}

// Elements yields the elements of an array in order. It yields nothing for a value of another kind.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		s := New(v.text)
		if s.Next() != Array || s.Open(Array) != nil {
			return
		}
		for first := true; ; first = false {
			if more, err := s.More(Array, first); !more || err != nil {
				return
			}
			begin, _, err := s.Skip()
			if err != nil || !yield(Value{s.Text(begin, s.Pos()), v.at + begin, v.at + begin}) {
				return
			}
		}
	}
}

// Str returns the value of a string, and false for a value of another kind.
func (v Value) Str() (string, bool) {
	s := New(v.text)
	if s.Next() != String {
		return "", false
	}
	str, err := s.Str()
	return s.unescaped(str), err == nil
}

// Int returns the value of a whole number from 0 to 2^63-1, and false for any other value. 4.0 is
// a whole number, because some programs write integers as floats.
func (v Value) Int() (int64, bool) {
	s := New(v.text)
	if s.Next() != Number {
		return 0, false
	}
	digits, fraction, _ := bytes.Cut(v.text, []byte("."))
	if len(bytes.Trim(digits, "0123456789")) > 0 || len(bytes.Trim(fraction, "0")) > 0 {
		return 0, false
	}
	n, ok := Uint(digits)
	return int64(n), ok && int64(n) >= 0
}

// Bool returns the value of true or false. For other values ok is false.
func (v Value) Bool() (value, ok bool) {
	k := v.Kind()
	return k == True, k == True || k == False
}

// Span returns the range of the value in the text of Parse. For a member it begins at the quote
// before its name.
func (v Value) Span() (begin, end int) { return v.key, v.at + len(v.text) }

// Text returns the text of the value. Callers must not modify it.
func (v Value) Text() []byte { return v.text }

// unescaped returns a copy of a string with its escapes replaced.
func (s *Scanner) unescaped(str Str) string {
	b := s.Text(str.Begin, str.End)
	if str.Escaped {
		b = Unescape(bytes.Clone(b))
	}
	return string(b)
}
