// JSON, CSV and Markdown: exact for programs, harmless for people.

package encode

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// What is escaped means the same to whoever reads JSON.
func TestMarshalIsSafeToShow(t *testing.T) {
	for _, s := range []string{"a", "<a> & b", "\x1b[2J\x7f\u0085", "\u202e\u2066\u200b", "\U000e0041", "模型.🦙", "\"\\\n"} {
		b, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != s {
			t.Errorf("%q is written as %s, which is %q, %v", s, b, got, err)
		}
		if shown := typeset.Line(string(b)); shown != string(b) {
			t.Errorf("%q is written as %q, of which a terminal shows something else", s, b)
		}
	}
	if b, _ := Marshal("<>&"); string(b) != `"<>&"` {
		t.Errorf("%s", b)
	}
}

func TestMarshalNumbers(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{Known(9007199254740993), "9007199254740993"}, // 2^53 + 1, which no float64 is
		{Unknown, "null"},
		{Dims(nil), "null"}, {Dims{}, "[]"},
		{Dims{-1, 0}, "[18446744073709551615,0]"}, // 2^64 - 1
		{Pair{8, 16, true}, "[8,16]"},
		{Pair{}, "null"},
	} {
		if b, err := Marshal(tt.v); err != nil || string(b) != tt.want {
			t.Errorf("%#v: %s, %v, want %s", tt.v, b, err, tt.want)
		}
	}
}

func TestWriteObject(t *testing.T) {
	two := Elements(func(yield func(any) bool) { _ = yield(1) && yield("b") })
	none := Elements(func(func(any) bool) {})
	within := Elements(func(yield func(any) bool) { yield([]Member{{"e", two}}) })
	members := []Member{{"a", two}, {"b", none}, {"c", nil}, {"d", within}}
	var line, page bytes.Buffer
	if err := Object(&line, typeset.Style{}, members); err != nil {
		t.Fatal(err)
	}
	if got, want := line.String(), `{"a":[1,"b"],"b":[],"c":null,"d":[{"e":[1,"b"]}]}`+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := Object(&page, typeset.Style{Width: 80}, members); err != nil {
		t.Fatal(err)
	}
	if got, want := page.String(), "{\n  \"a\": [1, \"b\"],\n  \"b\": [],\n  \"c\": null,\n  \"d\": [\n    {\"e\": [1, \"b\"]}\n  ]\n}\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPretty(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an entry is a line", `{"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}`,
			"{\n  \"a\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data_offsets\": [0, 24]}\n}\n"},
		{"order and duplicates stay", `{"b":1,"a":{},"b":2}`, "{\n  \"b\": 1,\n  \"a\": {},\n  \"b\": 2\n}\n"},
		{"spelling stays", ` [ 1.0e0 , "\u0061" ] `, "[1.0e0, \"\\u0061\"]\n"},
		{"brackets in strings", `["[{,:\"",{"}":{}}]`, "[\n  \"[{,:\\\"\",\n  {\n    \"}\": {}\n  }\n]\n"},
		{"nothing", ``, "\n"},
		{"too many brackets", `}}]`, "}}]\n"},
		{"a string that does not end", `{"a`, "{\n  \"a\n"},
		{"a backslash at the end", `["\`, "[\n  \"\\\n"},
	} {
		var b bytes.Buffer
		if err := Pretty(&b, typeset.Style{}, []byte(tt.text)); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// Package json is another implementation: what Pretty writes is the same value.
func TestPrettyKeepsTheValue(t *testing.T) {
	const text = `{"__metadata__":{"a":"b c","d":"{\"e\":[1,2]}"},"t":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"x":[[1,[2]],{"y":{"z":[{}]}}],"n":-1.5e+7,"f":false}`
	var b, got, want bytes.Buffer
	if err := Pretty(&b, typeset.Style{}, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&got, b.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&want, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("%s, want %s", got.String(), want.String())
	}
}

// A text of a hundred thousand brackets is not indented by as many columns.
func TestPrettyIndentationIsBounded(t *testing.T) {
	const n = 100_000
	var b bytes.Buffer
	if err := Pretty(&b, typeset.Style{}, []byte(strings.Repeat("[{", n))); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 2*n*(2+32) { // a bracket, a line end, two spaces for each of 16 levels
		t.Errorf("%d bytes", b.Len())
	}
}

// Package csv reads what was written, but for the apostrophe before what looks
// like a formula.
func TestCSV(t *testing.T) {
	cells := []string{"plain", "", " lead", "a,b", `say "hi"`, "two\nlines", "=1+1", "+1", "-1", "@x", "\ttab", "ünï"}
	want := []string{"plain", "", " lead", "a,b", `say "hi"`, "two\nlines", "'=1+1", "'+1", "'-1", "'@x", "'\ttab", "ünï"}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	CSV(w, typeset.Style{}, cells...)
	w.Flush()
	got, err := csv.NewReader(&b).Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"model.q_proj.weight", "model.q_proj.weight"},
		{"a|b", `a\|b`},
		{"`code`", "\\`code\\`"},
		{"<script>", "&lt;script>"},
		{"a\nb", `a\\nb`},
		{"__init__", `\_\_init\_\_`},
		{"[x](y)", `\[x\](y)`},
		{"*a* & $b$", `\*a\* &amp; \$b\$`},
		{"@everyone", "@<!-- -->everyone"},
		{"a/b#1", "a/b#<!-- -->1"},
		{"a@b.example", "a@<!-- -->b.example"},
		{"https://a.example", `https\://a.example`},
		{"www.a.example", `www\.a.example`},
		{"block:0.w", "block:0.w"},
	} {
		if got := Markdown(tt.text); got != tt.want {
			t.Errorf("markdown(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}
