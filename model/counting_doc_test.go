// docs/counting.md: its tables are made from the rules and from what hf.js said.

package model_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

var update = flag.Bool("update", false, "write docs/counting.md")

// TestCountingDoc checks the tables of docs/counting.md, which stand between lines
// that say so.
func TestCountingDoc(t *testing.T) {
	const name = "../docs/counting.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprintf("This is version %d of the rules", model.RulesVersion); !bytes.Contains(text, []byte(said)) {
		t.Errorf("%s does not say %q", name, said)
	}
	want := text
	for mark, table := range map[string]string{"rules": rulesTable(), "hf.js": differencesTable(t)} {
		begin, end := fmt.Sprintf("<!-- %s: generated -->\n", mark), fmt.Sprintf("<!-- end of %s -->\n", mark)
		head, rest, ok := bytes.Cut(want, []byte(begin))
		_, tail, ok2 := bytes.Cut(rest, []byte(end))
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s", name, mark)
		}
		want = bytes.Join([][]byte{head, []byte(begin), []byte(table), []byte(end), tail}, nil)
	}
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(text, want) {
		t.Errorf("%s is not what the rules and the fixtures make of it: run go generate ./model", name)
	}
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | description | source |\n|---|---|---|\n")
	for r := range model.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r, r.Text(), r.Source())
	}
	return b.String()
}

// differencesTable has a line for each model of which hf.js says another number, and
// the difference that makes up most of it.
func differencesTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| model | correct | hf.js | why hf.js differs |\n|---|--:|--:|---|\n")
	for _, f := range fixtures() {
		x, err := compat.Count(compat.HFJS, f.Model())
		if err != nil {
			t.Fatal(err)
		}
		if x.Total >= f.want.Low && x.Total <= f.want.High {
			continue
		}
		right := wording.Grouped(f.want.High).String()
		if !f.want.Exact() {
			right = fmt.Sprintf("%v to %v", wording.Grouped(f.want.Low), wording.Grouped(f.want.High))
		}
		var why []string
		for _, d := range x.Differences {
			why = append(why, fmt.Sprintf("%s (%+d)", d.Cause, d.Params))
		}
		fmt.Fprintf(&b, "| %s | %s | %v | %s |\n", f.name, right, wording.Grouped(x.Total), strings.Join(why, " "))
	}
	return b.String()
}
