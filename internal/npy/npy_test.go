// Headers and literals: those of NumPy, and those that are none.

package npy

import (
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string]literalKind{
		"'a'": stringLiteral, `"a"`: stringLiteral, `'a\'b'`: stringLiteral, "12": intLiteral, "-1": intLiteral, "3L": intLiteral, "None": otherLiteral, "True": otherLiteral,
		"()": tupleLiteral, "(1,)": tupleLiteral, "(1)": intLiteral, "(1, 2)": tupleLiteral, "[1, 'a', ]": listLiteral, "{'a': 1}": dictLiteral, "{}": dictLiteral,
		" { 'a' : ( 1 , ) , }\n": dictLiteral, "{'a': [('b', 'c')]}\x00\x00": dictLiteral,
	} {
		if l, err := parseLiteral([]byte(text)); err != nil || l.kind != want {
			t.Errorf("%q: %v, %v", text, l, err)
		}
	}
	for _, text := range []string{
		"", "(", "[1", "{'a'}", "{'a': }", "'a", "'a\n'", "1 2", "(1 2)", "f()", "a", "-", "1+1", "b'a'", "(1,))", "{1: 2", "[,]", "9223372036854775808", "__import__('os')",
		strings.Repeat("[", 100) + strings.Repeat("]", 100), "lambda: 0", "{'a': 1 for x in y}",
	} {
		if l, err := parseLiteral([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
}

func FuzzLiteral(f *testing.F) {
	f.Add([]byte("{'descr': [('a', '<f4'), ('b', '|O')], 'fortran_order': False, 'shape': (3, 4), }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLiteral(text)
		if err != nil {
			return
		}
		dtypeOf(l.get("descr"), 0)
		if n, ok := elementsOf(l.get("shape")); ok && n < 0 {
			t.Errorf("%d elements", n)
		}
	})
}
