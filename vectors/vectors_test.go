// The form of vectors, and that all of them have it.

package vectors_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"github.com/weightools/safetensors/vectors"
)

func TestParse(t *testing.T) {
	const content = "expect: accept\nrule: element-alignment\nseverity: warning\ntensor: \"\\u00e9\\n\"\nbytes: 8-71\n" +
		"also: data-alignment entry-order\nlimit: rank 2\ndata: yes\ncomment: a: b\n\n\x02\x00\n\n{}"
	got, err := vectors.Parse("a/b", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	want := &vectors.Vector{
		Name: "a/b", Expect: vectors.Accept, Rule: "element-alignment", Severity: "warning", Tensor: "é\n", Begin: 8, End: 71,
		Also: []string{"data-alignment", "entry-order"}, Limit: "rank 2", Data: true, Comment: "a: b", File: []byte("\x02\x00\n\n{}"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, content := range []string{
		"",
		"expect: accept\n",
		"\n\n{}",
		"comment: nothing is expected\n\n{}",
		"expect: perhaps\n\n{}",
		"expect: accept\nno key\n\n{}",
		"expect: accept\ncolour: red\n\n{}",
		"expect: accept\nbytes: 8\n\n{}",
		"expect: accept\nbytes: a-b\n\n{}",
		"expect: accept\ntensor: a\n\n{}",
	} {
		if v, err := vectors.Parse("a/b", []byte(content)); err == nil {
			t.Errorf("%q is %+v, and an error is due", content, v)
		}
	}
}

// TestAll checks what holds of every vector, whatever it is about.
func TestAll(t *testing.T) {
	severities := map[vectors.Expect]string{vectors.Refuse: "invalid", vectors.Lenient: "nonconforming"}
	for v := range vectors.All() {
		folder, _, _ := strings.Cut(v.Name, "/")
		if folder != cmp.Or(v.Rule, "healthy") {
			t.Errorf("%s is in the folder of another rule than %q", v.Name, v.Rule)
		}
		if s := severities[v.Expect]; s != "" && v.Severity != s || v.Expect == vectors.Accept && (v.Severity == "invalid" || v.Severity == "nonconforming") {
			t.Errorf("%s is of severity %q, and expects %s", v.Name, v.Severity, v.Expect)
		}
		if v.Comment == "" || v.Begin > v.End {
			t.Errorf("%s has the comment %q and the bytes %d-%d", v.Name, v.Comment, v.Begin, v.End)
		}
		// What is missing from a truncated file is beyond its end.
		if v.End > int64(len(v.File)) && v.Rule != "truncated" && v.Rule != "header-size" {
			t.Errorf("%s has %d bytes, and its fault ends at %d", v.Name, len(v.File), v.End)
		}
	}
}

// TestAllStops checks that a loop over the vectors can be left.
func TestAllStops(t *testing.T) {
	for v := range vectors.All() {
		if v == nil {
			t.Error("a vector is nil")
		}
		break
	}
}
