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
	want := bytes.Join([][]byte{head, begin, []byte(report(witnessed(t))), end, tail}, nil)
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(text, want) {
		t.Errorf("%s is out of date: run go generate", name)
	}
}

// witnessed returns the programs that confirm each architecture, besides the library that it is from. The program
// .ci/interop/names --witnesses has written them.
func witnessed(t *testing.T) map[string]string {
	text, err := os.ReadFile("testdata/witnesses.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, last := make(map[string]string), ""
	for line := range strings.Lines(string(text)) {
		kind, programs, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		if names.Find(kind, "") == nil || kind <= last || programs == "" {
			t.Errorf("witnesses.txt: %q has no table, no program or a wrong place", kind)
		}
		list[kind], last = programs, kind
	}
	return list
}

// TestWitnesses shows that at least 80 architectures of transformers are confirmed by another program.
func TestWitnesses(t *testing.T) {
	if n := len(witnessed(t)); n < 80 {
		t.Errorf("other programs confirm %d architectures", n)
	}
}

// report returns the tables: what there is of each library, each architecture, and each wrapper.
func report(programs map[string]string) string {
	var b strings.Builder
	count := map[names.Form]int{}
	var rows []string
	for _, a := range names.All() {
		var needs [4]int
		for i := range a.Tensors {
			needs[a.Tensors[i].Need]++
		}
		count[a.Form]++
		forms := []string{string(a.Form)}
		library, _, _ := strings.Cut(a.Source, ", ")
		seen := []string{library}
		if more := programs[a.Type]; more != "" {
			seen = append(seen, more)
		}
		for _, s := range a.Spellings() {
			count[s.Form]++
			forms = append(forms, string(s.Form))
			switch {
			case s.Form == names.GGUF && !strings.Contains(programs[a.Type], "gguf"):
				seen = append(seen, "gguf 0.19.0")
			case s.Form == names.Original && a.Form == names.Diffusers:
				seen = append(seen, "conversion of single files")
			}
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %d | %d | %d | %d | %s |\n", a.Type,
			strings.TrimPrefix(a.Source, library+", "), strings.Join(forms, ", "), needs[0], needs[1], needs[2], needs[3],
			strings.Join(seen, ", ")))
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
