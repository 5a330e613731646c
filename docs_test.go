// docs/rules.md, and what every rule says.

package safetensors_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
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
		t.Errorf("%s is out of date: run go generate", name)
	}
}

func rulesDoc() string {
	var b strings.Builder
	b.WriteString(`# Rules

Generated from the tables in rule.go, checkpoint/internal/finding/rules.go, check/internal/rule and gguf/rules.go by ` + "`go generate`" + `. Do not edit.

` + "`weigh check`" + ` reports violations of these rules for single files, sets of files, and repositories. Each rule has a severity:

- **invalid**: no conforming reader accepts the file;
- **error**: the file is valid, but its weights are damaged or cannot be used;
- **nonconforming**: the specification forbids it, but the reference implementation (the crate safetensors, 0.8.0) reads it;
- **warning**: some readers disagree about the file, or loading it is slower than necessary;
- **note**: readers agree on what the file means, but it could be cleaner.

` + "`Open`" + ` refuses invalid and nonconforming files, and commands exit with code 1 for them. ` + "`weigh check`" + ` also exits with code 1 for errors. ` + "`Opener{Lenient: true}` and `--lenient`" + ` accept nonconforming files.

The rules whose names begin with "gguf" are about GGUF files. Their reference implementation is llama.cpp b11434; where it refuses what the specification allows, the severity is warning.

| rule | severity | summary |
|---|---|---|
`)
	for _, r := range allRules() {
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %v | %s |\n", string(r.Rule), r.Severity, r.Summary)
	}
	for _, r := range allRules() {
		fmt.Fprintf(&b, "\n## %s\n\n%s *%v*\n\n- Source: %s\n- Reference implementation: %s\n- Fix: %s\n",
			string(r.Rule), r.Summary, r.Severity, r.Source, r.Reference, r.Fix)
	}
	return b.String()
}

// allRules returns the rules of every package that has some.
func allRules() []safetensors.RuleInfo {
	return slices.Concat(safetensors.Rules(), checkpoint.Rules(), check.Rules(), gguf.Rules())
}

func TestRulesAreComplete(t *testing.T) {
	seen := make(map[safetensors.Rule]bool)
	for _, r := range allRules() {
		if seen[r.Rule] {
			t.Errorf("duplicate rule %q", string(r.Rule))
		}
		seen[r.Rule] = true
		if name := string(r.Rule); strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is not made of lower-case letters, digits and hyphens", name)
		}
		for what, text := range map[string]string{"Summary": r.Summary, "Source": r.Source, "Reference": r.Reference, "Fix": r.Fix} {
			if text == "" || strings.Contains(text, "\n") || what == "Summary" && strings.Contains(text, "|") { // in a table
				t.Errorf("%v: %s is %q", r.Rule, what, text)
			}
		}
		if !strings.HasSuffix(r.Summary, ".") || !strings.HasSuffix(r.Fix, ".") {
			t.Errorf("%v: Summary %q or Fix %q is not a sentence", r.Rule, r.Summary, r.Fix)
		}
	}
}
