// Headers and literals: those of NumPy, and those that are none.

package npy

import (
	"slices"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string]literalKind{
		"'a'": stringLiteral, `"a"`: stringLiteral, `'a\'b'`: stringLiteral, "12": intLiteral, "-1": intLiteral,
		"3L": intLiteral, "None": otherLiteral, "True": otherLiteral,
		"()": tupleLiteral, "(1,)": tupleLiteral, "(1)": intLiteral, "(1, 2)": tupleLiteral, "[1, 'a', ]": listLiteral,
		"{'a': 1}": dictLiteral, "{}": dictLiteral,
		" { 'a' : ( 1 , ) , }\n": dictLiteral, "{'a': [('b', 'c')]}\x00\x00": dictLiteral,
	} {
		if l, err := parseLiteral([]byte(text)); err != nil || l.kind != want {
			t.Errorf("%q: %v, %v", text, l, err)
		}
	}
	for _, text := range []string{
		"", "(", "[1", "{'a'}", "{'a': }", "'a", "'a\n'", "1 2", "(1 2)", "f()", "a", "-", "1+1", "b'a'", "(1,))", "{1: 2",
		"[,]", "9223372036854775808", "__import__('os')",
		strings.Repeat("[", 100) + strings.Repeat("]", 100), "lambda: 0", "{'a': 1 for x in y}",
	} {
		if l, err := parseLiteral([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, l)
		}
	}
}

func TestArraysOfNumbers(t *testing.T) {
	for _, k := range []struct {
		text, descr string
		order       byte
		shape       []int64
		size        int64
	}{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", "<f4", 'C', []int64{3, 4}, 48},
		{"{'shape': (), 'fortran_order': True, 'descr': '|b1'}", "|b1", 'F', []int64{}, 1},
		{"{'descr': [('a', '<f4')], 'fortran_order': 0, 'shape': (2,)}", "", 0, []int64{2}, 8},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "<f4", 'C', nil, -1},
	} {
		h, err := Parse([]byte(k.text))
		if err != nil || h.Descr != k.descr || h.Order != k.order || !slices.Equal(h.Shape, k.shape) ||
			(h.Shape == nil) != (k.shape == nil) || h.Size != k.size {
			t.Errorf("%s: %+v, %v", k.text, h, err)
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
		dtypeOf(l.get("descr"))
		if n, ok := elementsOf(l.get("shape")); ok && n < 0 {
			t.Errorf("%d elements", n)
		}
	})
}
