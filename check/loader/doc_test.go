// docs/loaders.md, and what every need says.

package loader_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

var update = flag.Bool("update", false, "write docs/loaders.md instead of comparing with it")

func TestLoadersDoc(t *testing.T) {
	const name = "../../docs/loaders.md"
	want := doc()
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
		t.Errorf("%s is out of date: run go generate ./check/loader", name)
	}
}

func doc() string {
	var b strings.Builder
	b.WriteString(`# Loaders

Generated from the tables of package check/loader by ` + "`go generate ./check/loader`" + `. Do not edit.

` + "`weigh check --for LOADER`" + ` also checks what a program needs to load the weights. A finding can matter to one program and not to another, so its severity depends on the program:

- **error**: the program stops, or computes with wrong weights;
- **warning**: the same, with some options or versions;
- **note**: the program ignores or works around it.

The severity of a finding is the highest that a program gives it, and never lower than in [rules.md](rules.md). Each row cites the source code of the program, in the version that is given. Other versions may differ.
`)
	for _, info := range loader.All() {
		fmt.Fprintf(&b, "\n## %s\n\n[%s](%s), %s. %s\n\n| rule | severity | %s … | source |\n|---|---|---|---|\n",
			info.Name, info.Title, info.URL, info.Version, info.Reads, info.Title)
		for _, n := range loader.Needs() {
			if n.Loader == info.Name {
				fmt.Fprintf(&b, "| [`%s`](rules.md#%[1]s) | %v | %s | %s |\n", string(n.Rule), n.Severity, n.Does, n.Source)
			}
		}
	}
	return b.String()
}

func TestNeedsAreComplete(t *testing.T) {
	rules := slices.Concat(safetensors.Rules(), checkpoint.Rules(), check.Rules(), gguf.Rules())
	type key struct {
		safetensors.Rule
		loader.Name
	}
	seen, needed := make(map[key]bool), make(map[safetensors.Rule]safetensors.Severity)
	for _, n := range loader.Needs() {
		what := fmt.Sprintf("%s for %s", string(n.Rule), n.Loader)
		i := slices.IndexFunc(rules, func(info safetensors.RuleInfo) bool { return info.Rule == n.Rule })
		switch _, known := loader.Lookup(n.Loader); {
		case seen[key{n.Rule, n.Loader}]:
			t.Errorf("%s: duplicate need", what)
		case i < 0 || !known:
			t.Errorf("%s: unknown rule or program", what)
		case n.Severity < rules[i].Severity && !check.NeedsLoader(n.Rule):
			t.Errorf("%s: its severity is lower than that of the rule", what)
		}
		seen[key{n.Rule, n.Loader}], needed[n.Rule] = true, max(needed[n.Rule], n.Severity)
		if n.Does == "" || strings.HasSuffix(n.Does, ".") || strings.ContainsAny(n.Does+n.Source, "|\n") {
			t.Errorf("%s: it does %q", what, n.Does)
		}
		if file, _, ok := strings.Cut(n.Source, ", "); !ok || !strings.Contains(file, ".") {
			t.Errorf("%s: the source %q is not a file and a place in it", what, n.Source)
		}
	}
	for _, info := range check.Rules() {
		if most, ok := needed[info.Rule]; check.NeedsLoader(info.Rule) && (!ok || most != info.Severity) {
			t.Errorf("rule %s is %v, and its needs are %v at most", string(info.Rule), info.Severity, most)
		}
	}
}
