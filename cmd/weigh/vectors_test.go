// Every vector through the program: each verb that reads one file, and a stream.

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/vectors"
)

// A checked is what check --json says, as a program that reads it would see it.
type checked struct {
	Schema   string
	OK       bool
	Findings []found
}

type found struct {
	Rule, Severity, File, Message, Fix string
	Tensor                             *string
	Bytes                              []int64
}

// runJSON runs weigh with input and args, and decodes what it writes into v.
func runJSON(t *testing.T, in io.Reader, v any, args ...string) (code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, in, &out, &errs, noEnv)
	d := json.NewDecoder(&out)
	if err := d.Decode(v); err != nil || errs.Len() > 0 {
		t.Fatalf("weigh %q: %v, errors %q", args, err, errs.String())
	}
	if rest, err := io.ReadAll(io.MultiReader(d.Buffered(), &out)); err != nil || string(rest) != "\n" {
		t.Errorf("weigh %q: %q after the JSON", args, rest)
	}
	return code
}

func TestVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program 8,000 times")
	}
	for v := range vectors.All() {
		if v.Limit != "" {
			continue // a limit that a caller sets, and this program does not
		}
		t.Run(v.Name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.safetensors")
			if err := os.WriteFile(file, v.File, 0o666); err != nil {
				t.Fatal(err)
			}
			checkVector(t, v, file)
			showVector(t, v, file)
		})
	}
}

// checkVector runs check on a vector, strictly and leniently, from a file and
// from a stream.
func checkVector(t *testing.T, v *vectors.Vector, file string) {
	args := []string{"check", "--json", file}
	if v.Data {
		args = append(args, "--data")
	}
	strict := map[vectors.Expect]int{vectors.Accept: cli.ExitOK, vectors.Lenient: cli.ExitFound, vectors.Refuse: cli.ExitFound}[v.Expect]
	lenient := map[vectors.Expect]int{vectors.Accept: cli.ExitOK, vectors.Lenient: cli.ExitOK, vectors.Refuse: cli.ExitFound}[v.Expect]
	var c, relaxed checked
	if code := runJSON(t, nil, &c, args...); code != strict || c.OK != (strict == cli.ExitOK) {
		t.Errorf("exit code %d, ok %v, want %d", code, c.OK, strict)
	}
	if code := runJSON(t, nil, &relaxed, append(args, "--lenient")...); code != lenient {
		t.Errorf("leniently: exit code %d, want %d", code, lenient)
	}
	if v.Rule != "" {
		rule, severity, tensor := v.Rule, v.Severity, v.Tensor
		if strings.HasSuffix(rule, "-alignment") { // the program reports all of them as one note
			rule, severity, tensor = "alignment-cost", "note", ""
		}
		i := slices.IndexFunc(c.Findings, func(f found) bool { return f.Rule == rule })
		if i < 0 {
			t.Fatalf("no finding of %s in %+v", rule, c.Findings)
		}
		f := c.Findings[i]
		if f.Severity != severity || f.Message == "" || f.Fix == "" || tensor != "" && (f.Tensor == nil || *f.Tensor != tensor) {
			t.Errorf("%+v, want tensor %q, severity %s", f, tensor, severity)
		}
	}
	if v.Data {
		return // which a stream cannot be asked for
	}
	var streamed checked
	if code := runJSON(t, bytes.NewReader(v.File), &streamed, "check", "--json", "-"); code != strict {
		t.Errorf("from a stream: exit code %d, want %d", code, strict)
	}
	for i := range streamed.Findings {
		streamed.Findings[i].File = c.Findings[min(i, len(c.Findings)-1)].File
	}
	if diff := cmp.Diff(c, streamed); diff != "" {
		t.Errorf("a stream is judged otherwise (-file +stream):\n%s", diff)
	}
}

// showVector runs the verbs that show a file, however broken it is.
func showVector(t *testing.T, v *vectors.Vector, file string) {
	strict := map[vectors.Expect]int{vectors.Accept: cli.ExitOK, vectors.Lenient: cli.ExitFound, vectors.Refuse: cli.ExitFound}[v.Expect]
	var info struct {
		Schema     string
		Violations []struct{ Rule string }
		Tensors    []struct{ Name string }
	}
	if code := runJSON(t, nil, &info, "info", "--json", file); code != strict || info.Schema != "weigh.info/2" {
		t.Errorf("info: exit code %d, want %d", code, strict)
	}
	var layout struct{ Regions []struct{ Bytes []int64 } }
	if code := runJSON(t, nil, &layout, "layout", "--json", "--hex", file); code != strict {
		t.Errorf("layout: exit code %d, want %d", code, strict)
	}
	for _, args := range [][]string{{"info"}, {"info", "--tree"}, {"info", "--all=false"}, {"info", "--csv"}, {"info", "--markdown"}, {"check"}, {"layout", "--hex"}, {"header", "--pretty"}} {
		for _, width := range []string{"", "40"} {
			var out bytes.Buffer
			env := func(name string) string { return map[string]string{cli.TestTerminal: width, "NO_COLOR": "1"}[name] }
			if code := run(t.Context(), append(args, file), nil, &out, io.Discard, env); code != strict {
				t.Errorf("%q in %q columns: exit code %d, want %d", args, width, code, strict)
			}
			for line := range bytes.Lines(out.Bytes()) {
				line = bytes.TrimSuffix(line, []byte("\n"))
				if width != "" && typeset.Line(string(line)) != string(line) {
					t.Errorf("%q: a terminal would act on %q", args, line)
				}
			}
		}
	}
}
