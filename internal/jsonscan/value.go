// Values: a text whose members are looked up when they are asked for.

package jsonscan

import (
	"bytes"
	"iter"
)

// A Value is a JSON value in a text that Parse has checked. It is a view: to look
// a member up scans the value again, which for the few members that are wanted of
// a configuration costs less than a tree of all of it, and no memory at all. The
// zero Value is that of a member which is not there; it has no kind, and none of
// its methods finds anything in it.
type Value struct {
	text    []byte
	key, at int // where the value begins in the text of Parse: with the quote of its member's name, and itself
}

// Parse checks the grammar of a text, and returns the value that it is.
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

// WithoutNaN returns text with zeros for NaN and Infinity, followed by spaces so
// that offsets stay. Python's package json writes these words, and no JSON has
// them. Text is copied if there are any.
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

// noNumber returns the length of the word with which b begins, if it is one that
// Python writes for a number that is none, and else 0.
func noNumber(b []byte) int {
	for _, word := range [...]string{"NaN", "Infinity"} {
		if bytes.HasPrefix(b, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// Kind returns the kind of the value, 0 if there is none.
func (v Value) Kind() Kind {
	s := New(v.text)
	return s.Next()
}

// Get returns the member of that name of an object, the last one if there are
// several. There is none in a value of another kind.
func (v Value) Get(name string) Value { return v.Pick(name)[0] }

// Pick returns the members of those names, as Get does, in one scan.
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

// Members yields the members of an object, in the order in which they stand. It
// yields nothing for a value of another kind.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		v.each(func(s *Scanner, key Str, member Value) bool { return yield(s.unescaped(key), member) })
	}
}

// each calls member for the members of an object, until it returns false.
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

// Elements yields the elements of an array. It yields nothing for a value of
// another kind.
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

// Str returns a string, and false for a value of another kind.
func (v Value) Str() (string, bool) {
	s := New(v.text)
	if s.Next() != String {
		return "", false
	}
	str, err := s.Str()
	return s.unescaped(str), err == nil
}

// Int returns a number that is a whole one from 0 to 2^63-1, and false for any
// other value. Writers that compute in floats write 4.0 for 4.
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

// Bool returns true or false, and false for ok if the value is neither.
func (v Value) Bool() (value, ok bool) {
	k := v.Kind()
	return k == True, k == True || k == False
}

// Span returns the bytes of the value in the text of Parse, from the quote before its name if it is
// a member, to its end.
func (v Value) Span() (begin, end int) { return v.key, v.at + len(v.text) }

// Text returns the value as it stands. It must not be written to.
func (v Value) Text() []byte { return v.text }

// unescaped returns a copy of a string, without its escapes.
func (s *Scanner) unescaped(str Str) string {
	b := s.Text(str.Begin, str.End)
	if str.Escaped {
		b = Unescape(bytes.Clone(b))
	}
	return string(b)
}
