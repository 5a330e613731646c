package store

import (
	"strings"
	"testing"
)

func TestParseModelScope(t *testing.T) {
	ms := func(root, revision, path string) Ref {
		return Ref{Scheme: "ms", Root: root, Revision: revision, Path: path}
	}
	for _, test := range []refTest{
		{"ms://Qwen/Qwen3-0.6B", ms("Qwen/Qwen3-0.6B", "", ""), ""},
		{"ms://a/b/", ms("a/b", "", ""), "ms://a/b"},
		{"ms://a/b@v1/c d/e%20?f#g", ms("a/b", "v1", "c d/e%20?f#g"), ""},
		{"ms://a/b@feature%2Fx/c@d", ms("a/b", "feature/x", "c@d"), ""},
	} {
		test.check(t)
	}
	for text, want := range map[string]string{
		"ms://":                "is not the name of a model: want ms://org/repo[@revision][/path]",
		"ms://a":               `"a/" is not the name of a model`,
		"ms://a/b c":           `"a/b c" is not the name of a model`,
		"ms://a/b@":            `the revision after "@" is empty`,
		"ms://a/b@%zz":         "revision: invalid URL escape",
		"ms://a/b/../c":        "has an element that is empty",
		"ms://datasets/a/b":    "datasets of ModelScope are not supported",
		"ms://USER:SECRET@a/b": "credentials are not allowed",
	} {
		r, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("Parse(%q) = %+q, %v; want an error with %q", text, fields(r), err, want)
		}
	}
}
