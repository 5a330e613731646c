// docs/signatures.md: its tables are made from the signatures.

package identity

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/signatures.md")

// TestSignaturesDoc checks the tables of docs/signatures.md, which stand between lines that say so.
func TestSignaturesDoc(t *testing.T) {
	const name = "../../docs/signatures.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := text
	for mark, table := range map[string]string{"kinds": kindsTable(), "signatures": familiesTable()} {
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
		t.Errorf("%s is not what the signatures make of it: run go generate ./model/identity", name)
	}
}

func kindsTable() string {
	var words []string
	for _, k := range Kinds() {
		words = append(words, "`"+string(k)+"`")
	}
	return strings.Join(words, ",\n") + "\n"
}

// familiesTable has a line for each kind and family, with its versions and sources.
func familiesTable() string {
	type family struct {
		kind Kind
		name string
	}
	var order []family
	versions, sources := make(map[family][]string), make(map[family][]string)
	for s := range Builtin().All() {
		f := family{s.Kind, s.Family}
		if !slices.Contains(order, f) {
			order = append(order, f)
		}
		for _, v := range s.Versions {
			versions[f] = appendNew(versions[f], v)
		}
		for _, from := range s.Sources {
			sources[f] = appendNew(sources[f], from)
		}
	}
	slices.SortStableFunc(order, func(a, b family) int { return slices.Index(kinds, a.kind) - slices.Index(kinds, b.kind) })
	var b strings.Builder
	fmt.Fprintf(&b, "There are %d signatures of %d families.\n\n", len(Builtin().list), len(order))
	b.WriteString("| kind | family | versions | source |\n|---|---|---|---|\n")
	for _, f := range order {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.kind, f.name, strings.Join(versions[f], ", "), strings.Join(sources[f], "; "))
	}
	return b.String()
}
