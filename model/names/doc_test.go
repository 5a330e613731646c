// docs/names.md: its tables are made from the data.

package names_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/model/names"
)

var update = flag.Bool("update", false, "write docs/names.md")

// TestNamesDoc checks the table of docs/names.md, which stands between lines that say so.
func TestNamesDoc(t *testing.T) {
	const name = "../../docs/names.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := []byte("<!-- tables: generated -->\n"), []byte("<!-- end of tables -->\n")
	head, rest, ok := bytes.Cut(text, begin)
	_, tail, ok2 := bytes.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for tables", name)
	}
	want := bytes.Join([][]byte{head, begin, []byte(report()), end, tail}, nil)
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(text, want) {
		t.Errorf("%s is out of date: run go generate", name)
	}
}

// witnesses says what .ci/interop/names compares a form with, besides its source.
var witnesses = map[names.Form]string{
	names.GGUF: "gguf 0.19.0", names.Original: "conversion of single files",
}

// report returns the tables: what there is of each library, each architecture, and each wrapper.
func report() string {
	var b strings.Builder
	count := map[names.Form]int{}
	var rows []string
	for _, a := range names.All() {
		var needs [4]int
		for i := range a.Tensors {
			needs[a.Tensors[i].Need]++
		}
		count[a.Form]++
		forms, seen := []string{string(a.Form)}, ""
		for _, s := range a.Spellings() {
			count[s.Form]++
			forms = append(forms, string(s.Form))
			if w := witnesses[s.Form]; w != "" && !strings.Contains(seen, w) {
				seen += ", " + w
			}
		}
		library, _, _ := strings.Cut(a.Source, ", ")
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %d | %d | %d | %d | %s%s |\n", a.Type,
			strings.TrimPrefix(a.Source, library+", "), strings.Join(forms, ", "), needs[0], needs[1], needs[2], needs[3],
			library, seen))
	}
	b.WriteString("| form | architectures |\n|---|---|\n")
	var forms []names.Form
	for form := range count {
		forms = append(forms, form)
	}
	slices.SortFunc(forms, func(a, b names.Form) int {
		return cmp.Or(count[b]-count[a], strings.Compare(string(a), string(b)))
	})
	for _, form := range forms {
		fmt.Fprintf(&b, "| %s | %d |\n", form, count[form])
	}
	b.WriteString("\n| mark | wrapper |\n|---|---|\n")
	for _, w := range names.Wrappers() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", w.Mark, w.Of)
	}
	b.WriteString("\n| architecture | class | forms | required | tied | some | buffers | witnesses |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	return b.String() + strings.Join(rows, "")
}
