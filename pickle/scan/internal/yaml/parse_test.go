// Nodes as PyYAML reports them, written down from yaml.parse of PyYAML 6.0.4.

package yaml

import (
	"fmt"
	"strings"
	"testing"
)

// A trace writes the nodes of a text on one line.
type trace struct{ strings.Builder }

func (t *trace) node(what string, n Node) {
	fmt.Fprintf(t, "%s", what)
	if n.Tag != "" {
		fmt.Fprintf(t, "<%s>", n.Tag)
	}
	if n.Anchor != "" {
		fmt.Fprintf(t, "&%s", n.Anchor)
	}
	t.WriteString(" ")
}

func (t *trace) Open(mapping bool, n Node) {
	if mapping {
		t.node("{", n)
	} else {
		t.node("[", n)
	}
}

func (t *trace) Close()        { t.WriteString(") ") }
func (t *trace) Scalar(n Node) { t.node(fmt.Sprintf("%q", n.Value), n) }
func (t *trace) Alias(n Node)  { t.node("*"+string(n.Value), n) }
func (t *trace) End()          { t.WriteString("; ") }

func TestParse(t *testing.T) {
	for _, c := range [][2]string{
		{"a: 1\nb: [x, {y: z}, 'q']\n", `{ "a" "1" "b" [ "x" { "y" "z" ) "q" ) ) ;`},
		{"? k\n: v\nc:\n- d\n- e: f\n", `{ "k" "v" "c" [ "d" { "e" "f" ) ) ) ;`},
		{"a: !!python/name:os.system\n", `{ "a" ""<tag:yaml.org,2002:python/name:os.system> ) ;`},
		{"%TAG !e! tag:yaml.org,2002:python/\n--- !e!tuple [1]\n...\n--- x\n",
			`[<tag:yaml.org,2002:python/tuple> "1" ) ; "x" ;`},
		{"!!p%79thon/none ''", `""<tag:yaml.org,2002:python/none> ;`},
		{"!!a !!b", `""<tag:yaml.org,2002:a> ; error`},
		{"- |2\n   x\n  y\n- >-\n a\n b\n\n c\n", `[ " x\ny\n" "a b\nc" ) ;`},
		{"\"a\\x41\\\n  b\": 'it''s'", `"aAb" error`},
		{"\"a\\x41 b\": 'it''s'", `{ "aA b" "it's" ) ;`},
		{"&a [x]\n", `[&a "x" ) ;`},
		{"- &a x\n- *a\n", `[ "x"&a *a ) ;`},
		{"[a: b, ? c, d]", `[ { "a" "b" ) { "c" "" ) "d" ) ;`},
		{"a: b: c", `{ "a" "b" error`},
		{"{a, b: c", `{ "a" "" "b" "c" error`},
		{"a\u2028b: c", `"a\u2028b" error`},
		{"\ufeffa: b", `{ "a" "b" ) ;`},
		{"a\tb", `error`},
		{"---\n---\n", `"" ; "" ;`},
		{"%YAML 2.0\n---\n", `error`},
		{"", ``},
		{"# only\n", ``},
		{strings.Repeat("[", MaxDepth+1), strings.Repeat("[ ", MaxDepth) + "error"},
	} {
		var got trace
		if err := Parse([]byte(c[0]), &got); err != nil {
			got.WriteString("error")
		}
		if s := strings.TrimSpace(got.String()); s != c[1] {
			t.Errorf("%.100q: %s, want %s", c[0], s, c[1])
		}
	}
}

// A depth counts the open collections.
type depth struct {
	t         *testing.T
	open, all int
}

func (d *depth) Open(bool, Node) { d.open, d.all = d.open+1, d.all+1 }
func (d *depth) Scalar(Node)     { d.all++ }
func (d *depth) Alias(Node)      { d.all++ }
func (d *depth) Close() {
	if d.open--; d.open < 0 {
		d.t.Fatal("a collection ends that has not begun")
	}
}

func (d *depth) End() {
	if d.open != 0 {
		d.t.Fatal("a document ends within a collection")
	}
}

// FuzzParse checks that any text ends, with collections that match and no more nodes than two for
// each byte.
func FuzzParse(f *testing.F) {
	f.Add("a: [b, {c: d}]\n--- !x &y z\n- *y\n")
	f.Add("? |\n  a\n: \"b\\u0041\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		d := &depth{t: t}
		Parse([]byte(text), d)
		if d.all > 2*len(text)+2 {
			t.Errorf("%d nodes in %d bytes", d.all, len(text))
		}
	})
}
