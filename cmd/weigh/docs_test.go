// docs/cli.md and the man pages are made from the commands, and docs/schema from docs/json.md; they are what these
// make.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// TestDocs compares the documents with the commands. With -update it writes them.
func TestDocs(t *testing.T) {
	root := rootCmd(new(cli.Session))
	want := map[string]string{
		"../../docs/cli.md":      cliDoc(root),
		"../../docs/man/weigh.1": manPage(root),
	}
	for _, cmd := range documented(root) {
		want[fmt.Sprintf("../../docs/man/weigh-%s.1", cmd.Name())] = manPage(cmd)
	}
	for file, text := range schemas(t) {
		want[schemaDir+"/"+file] = text
	}
	for name, text := range want {
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("%s is not what the commands or docs/json.md make: run go generate ./cmd/weigh", name)
		}
	}
	for _, pattern := range []string{"../../docs/man/*", schemaDir + "/*"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			if _, ok := want[filepath.ToSlash(page)]; !ok {
				t.Errorf("%s is of no command or format", page)
			}
		}
	}
}

// documented returns the verbs.
func documented(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Hidden })
}

// Help has no line that a terminal of the usual width, or of its own, would wrap.
// Examples are not wrapped, but fit the usual one.
func TestHelpFitsTerminals(t *testing.T) {
	root := rootCmd(new(cli.Session))
	for _, cmd := range append(documented(root), root) {
		for _, width := range []int{0, 40, 60, 80, 200} {
			most := width
			if width == 0 || width > 80 {
				most = 80
			}
			for line := range strings.Lines(cli.HelpText(cmd, width)) {
				line = strings.TrimSuffix(line, "\n")
				whole := strings.HasPrefix(line, "  weigh ") || slices.ContainsFunc(strings.Fields(line), func(w string) bool { return len(w) > most/2 })
				if n := utf8.RuneCountInString(line); n > most && !(whole && n <= 80) {
					t.Errorf("%s in %d columns has a line of %d: %s", cmd.Name(), width, n, line)
				}
			}
		}
	}
}

func TestReflow(t *testing.T) {
	const text = "One two three\nfour.\n\n  a   one two three four five six\n  bb  x\n"
	for _, tt := range []struct {
		width int
		want  string
	}{
		{80, "One two three four.\n\n  a   one two three four five six\n  bb  x\n"},
		{32, "One two three four.\n\n  a   one two three four five\n      six\n  bb  x\n"},
		{18, "One two three\nfour.\n\n  a\n        one two\n        three four\n        five six\n  bb  x\n"},
	} {
		if got := cli.Reflow(text, tt.width); got != tt.want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", tt.width, got, tt.want)
		}
	}
}

// Rows of a list stay rows in help, so one that is longer than the usual width would
// spill a word onto a line of its own.
func TestRowsOfHelpFit(t *testing.T) {
	const width = 80 // columns
	root := rootCmd(new(cli.Session))
	for _, cmd := range append(documented(root), root) {
		for line := range strings.Lines(cmd.Long) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); strings.HasPrefix(line, " ") && n > width {
				t.Errorf("%s has a row of %d columns, and %d at most are due: %s", cmd.Name(), n, width, line)
			}
		}
	}
}

// Every verb says what it is for, and shows how it is called.
func TestEveryVerbIsDocumented(t *testing.T) {
	for _, cmd := range documented(rootCmd(new(cli.Session))) {
		if cmd.Long == "" || cmd.Example == "" || cmd.GroupID == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: its help lacks something", cmd.Name())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s has no usage", cmd.Name(), f.Name)
			}
		})
	}
}

// The examples of every verb work in a clone of the repository, and find
// nothing wrong with the files that they are about.
func TestExamplesWork(t *testing.T) {
	t.Chdir("../..")
	root := rootCmd(new(cli.Session))
	for _, cmd := range append(documented(root), root) {
		for line := range strings.Lines(dedent(cmd.Example)) {
			line, _, _ = strings.Cut(line, " | ") // what is behind a pipe is not ours
			line, _, _ = strings.Cut(line, " # ")
			line, input, _ := strings.Cut(line, " < ")
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))
			if i := max(slices.Index(args, "-o"), slices.Index(args, "--export")) + 1; i > 0 && args[i] != "-" {
				args[i] = filepath.Join(t.TempDir(), filepath.Base(args[i]))
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			out := io.Discard
			if cmd.Name() == "view" && !slices.Contains(args, "--export") { // a server, which runs until it is interrupted
				args, out = append(args, "--no-open"), stopper(stop)
			}
			var in io.Reader
			if input = strings.TrimSpace(input); input != "" {
				f, err := os.Open(input)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				in = f
			}
			var errs bytes.Buffer
			if code := run(ctx, args[1:], in, out, &errs, noEnv); code != cli.ExitOK || args[0] != "weigh" {
				t.Errorf("%s: exit code %d: %s", strings.TrimSpace(line), code, errs.String())
			}
		}
	}
}

// A stopper is an output that calls a function when something is written.
type stopper func()

func (s stopper) Write(b []byte) (int, error) {
	s()
	return len(b), nil
}

// cliDoc returns docs/cli.md.
func cliDoc(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# weigh\n\nGenerated from the commands by `go generate ./cmd/weigh`. Do not edit.\n\n" + root.Long + "\n\n```\n" + cli.UsageLine(root) + "\n```\n\n")
	b.WriteString("```\n" + dedent(root.Example) + "```\n\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "- %s:", g.Title)
		sep := " "
		for _, cmd := range documented(root) {
			if cmd.GroupID == g.ID {
				fmt.Fprintf(&b, "%s[%s](#%s)", sep, cmd.Name(), cmd.Name())
				sep = ", "
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n[json.md](json.md) describes the fields that --json writes.\n")
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n|--:|---|\n")
	for line := range strings.Lines(cli.ExitCodes) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), "  ")
		fmt.Fprintf(&b, "| %s | %s |\n", code, strings.TrimSpace(meaning))
	}
	b.WriteString("\n## Common flags\n\n" + flagTable(root.PersistentFlags()))
	for _, cmd := range documented(root) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```\n%s\n```\n\n```\n%s```\n", cmd.Name(), fenced(prose(cmd.Long)), cli.UsageLine(cmd), dedent(cmd.Example))
		if table := flagTable(cmd.LocalNonPersistentFlags()); table != "" {
			b.WriteString("\n" + table)
		}
	}
	return b.String()
}

// flagTable returns flags as a table of Markdown.
func flagTable(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if name, usage := cli.FlagRow(f); f.Name != "help" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimSpace(name), strings.NewReplacer("|", `\|`, "*", `\*`).Replace(usage))
		}
	})
	if b.Len() == 0 {
		return "" // help alone
	}
	return "| flag | what it does |\n|---|---|\n" + b.String()
}

// prose returns text in lines of the usual width, as the help has it.
func prose(text string) string { return strings.TrimSuffix(cli.Reflow(text, 80), "\n") }

// fenced returns text with its indented lines between fences.
func fenced(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text + "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			b.WriteString("```\n")
			inside = indented
		}
		b.WriteString(line)
	}
	if inside {
		b.WriteString("```\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// dedent returns the lines of text without their indentation.
func dedent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text + "\n") {
		b.WriteString(strings.TrimPrefix(line, "  "))
	}
	return b.String()
}

// manPage returns a command's page for man, in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".\\\" Generated from the commands by go generate ./cmd/weigh. Do not edit.\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" weigh \"weigh\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n%s", roff(cli.UsageLine(cmd)), paragraphs(prose(cmd.Long)))
	b.WriteString(".SH OPTIONS\n")
	for _, flags := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), cli.CommonFlags(cmd)} {
		flags.VisitAll(func(f *pflag.Flag) {
			flag, usage := cli.FlagRow(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flag)), roff(usage))
		})
	}
	if cmd == cmd.Root() {
		b.WriteString(".SH VERBS\n")
		for _, verb := range documented(cmd) {
			fmt.Fprintf(&b, ".TP\n.BR weigh\\-%s (1)\n%s\n", verb.Name(), roff(verb.Short))
		}
	}
	fmt.Fprintf(&b, ".SH EXAMPLES\n%s", paragraphs(cmd.Example))
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s", paragraphs(cli.ExitCodes))
	if cmd != cmd.Root() {
		b.WriteString(".SH SEE ALSO\n.BR weigh (1)\n")
	}
	return b.String()
}

// paragraphs returns text as roff. Lines that are indented stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			inside = indented
		}
		if line == "\n" {
			line = ".PP\n"
		} else {
			line = roff(strings.TrimPrefix(line, "  "))
		}
		b.WriteString(line)
	}
	if inside {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// roff returns text that means itself: no escapes, no requests, and hyphens
// that can be copied.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
