// docs/rules.md is the table of rules, and nothing else is.

package safetensors_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

var update = flag.Bool("update", false, "write docs/rules.md instead of comparing with it")

func TestRulesDoc(t *testing.T) {
	const name = "docs/rules.md"
	want := rulesDoc()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of rules makes: run go generate", name)
	}
}

func rulesDoc() string {
	var b strings.Builder
	b.WriteString(`# The rules

Made from the tables in rule.go, rule_set.go and rule_repository.go by ` + "`go generate`" + `; edits here are lost.

Every way in which a file, a set of files or a repository can be wrong is one rule. Its severity says what follows:

- **invalid**: no conforming reader accepts it;
- **nonconforming**: the specification forbids it, and the reference implementation (the crate safetensors, 0.8.0) reads it;
- **warning**: readers in use disagree, or it costs them;
- **note**: it could be tidier.

` + "`Open`" + ` refuses invalid and nonconforming files, and every verb ends with 1 on them. ` + "`Opener{Lenient: true}` and `--lenient`" + ` accept what the reference accepts.

| rule | severity | the law |
|---|---|---|
`)
	for r := range safetensors.Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %v | %s |\n", string(r), r.Severity(), r.Text())
	}
	for r := range safetensors.Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s *%v*\n\n- From: %s\n- The reference: %s\n- What to do: %s\n",
			string(r), r.Text(), r.Severity(), r.Clause(), r.Reference(), r.Fix())
	}
	return b.String()
}

// Every rule says all that a user of it is told.
func TestRulesSayEverything(t *testing.T) {
	seen := make(map[safetensors.Rule]bool)
	for r := range safetensors.Rules() {
		if seen[r] {
			t.Errorf("%q stands twice", string(r))
		}
		seen[r] = true
		for what, text := range map[string]string{"text": r.Text(), "clause": r.Clause(), "reference": r.Reference(), "fix": r.Fix()} {
			if text == "" || strings.ContainsAny(text, "|\n") {
				t.Errorf("%v has %q as its %s", r, text, what)
			}
		}
	}
}
