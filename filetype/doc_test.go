// The table of kinds as a page: docs/filetypes.md.

package filetype

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/filetypes.md")

func TestDocument(t *testing.T) {
	const name = "../docs/filetypes.md"
	var b bytes.Buffer
	b.WriteString("# File types\n\n<!-- Written by go generate ./filetype. Do not edit. -->\n\n" +
		"Weights are often not what their names promise. `weigh` recognizes the following kinds of files by their\n" +
		"content and says what to do with them. Every command below is run by a test on a file of that kind.\n" +
		"In commands, FILE is the file and NEW is the file to write. Importers use package `filetype`.\n\n" +
		"| kind | name | advice |\n|---|---|---|\n")
	for k := range Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k, k.Name(), strings.ReplaceAll(k.Advice(), "|", `\|`))
	}
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is out of date: run go generate ./filetype", name)
	}
}
