// Any text: what is taken for JSON is JSON, and what is not is not.

package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"testing"
	"unicode/utf8"
)

// FuzzScanner compares with encoding/json, which is laxer in three ways: it
// nests to 10,000, takes halves of surrogate pairs, and takes any exponent.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{
		``, ` `, `{}`, `[]`, `{"a":[1,-2.5e3,"x\n"],"b":null}`, `[[[[]]]]`, `"\ud83d\ude00"`, `"\ud83d"`, `1e400`, `01`, `[1,]`, `{"a":1,}`, "\"\x80\"", "{\"\xff\":0}",
		`"\u0000\/\b"`, `[true,false,null]`, `nul`, `-`, `0.`, `1e+`, "\x00", "[\n]", `{"a":{"a":{}}} x`, `18446744073709551616`, `"aaaaaaaa\"aaaaaaaaaaaaaaaa"`,
	} {
		f.Add([]byte(text))
	}
	f.Add(bytes.Repeat([]byte("["), 128))
	f.Add(append(bytes.Repeat([]byte("["), 127), bytes.Repeat([]byte("]"), 127)...))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New(bytes.Clone(text))
		_, _, err := s.Skip()
		if err == nil {
			err = s.End()
		}
		var syntax *SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil && (syntax.Offset < 0 || syntax.Offset > len(text)) {
			t.Fatalf("%v, of %d bytes", err, len(text))
		}
		valid := json.Valid(text)
		if want := valid && stricter(text); (err == nil) != want {
			t.Fatalf("%v, and encoding/json says %v", err, valid)
		}
		if err == nil && !s.NonASCII && !utf8.Valid(text) {
			t.Fatal("what is above ASCII went unnoticed")
		}
		if !bytes.Equal(s.buf, text) {
			t.Fatal("the text was written to")
		}
		if err == nil && utf8.Valid(text) {
			compareTokens(t, text)
		}
	})
}

// stricter says whether a text that is JSON keeps to what is beyond its grammar:
// depth, whole surrogate pairs, numbers that 64 bits hold.
func stricter(text []byte) bool {
	depth, deepest := 0, 0
	inString := false
	number := -1 // where the number begins that is being read
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case inString && c == '\\':
			if text[i+1] == 'u' {
				v, _ := strconv.ParseUint(string(text[i+2:i+6]), 16, 32)
				if v >= 0xd800 && v < 0xe000 {
					low := uint64(0)
					if i+12 <= len(text) && text[i+6] == '\\' && text[i+7] == 'u' {
						low, _ = strconv.ParseUint(string(text[i+8:i+12]), 16, 32)
					}
					if v >= 0xdc00 || low < 0xdc00 || low > 0xdfff {
						return false
					}
					i += 6
				}
			}
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		case number < 0 && (c == '-' || c >= '0' && c <= '9'):
			number = i
		}
		if number >= 0 && !inString && bytes.IndexByte([]byte("+-.0123456789eE"), c) < 0 {
			if v, _ := strconv.ParseFloat(string(text[number:i]), 64); math.IsInf(v, 0) {
				return false
			}
			number = -1
		}
	}
	return deepest <= MaxDepth
}

// compareTokens reads a text with both parsers, and compares what they make of it.
func compareTokens(t *testing.T, text []byte) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil {
		t.Fatal(err)
	}
	s := New(bytes.Clone(text)) // which Unescape writes to
	if got := value(t, &s); !reflect.DeepEqual(got, want) {
		t.Fatalf("%#v, and encoding/json reads %#v", got, want)
	}
}

// value reads a value as encoding/json does, with numbers as they stand.
func value(t *testing.T, s *Scanner) any {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	str := func(at Str, err error) string {
		check(err)
		b := s.Text(at.Begin, at.End)
		if at.Escaped {
			b = Unescape(b)
		}
		return string(b)
	}
	switch k := s.Next(); k {
	case Object:
		check(s.Open(Object))
		members := make(map[string]any)
		for first := true; ; first = false {
			more, err := s.More(Object, first)
			check(err)
			if !more {
				return members
			}
			key := str(s.Key())
			members[key] = value(t, s)
		}
	case Array:
		check(s.Open(Array))
		elements := []any{}
		for {
			more, err := s.More(Array, len(elements) == 0)
			check(err)
			if !more {
				return elements
			}
			elements = append(elements, value(t, s))
		}
	case String:
		return str(s.Str())
	case Number:
		n, err := s.Num()
		check(err)
		return json.Number(s.Text(n.Begin, n.End))
	default:
		_, _, err := s.Skip()
		check(err)
		return map[Kind]any{True: true, False: false}[k]
	}
}
