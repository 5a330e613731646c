// SARIF as written, against the schema as published.

package sarifcheck

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/scanreport"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// schemaText returns the text of the schema, errata 01 of version 2.1.0: the
// constant "schema" in the source of go-sarif.
func schemaText(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Skip("the source of go-sarif is not here:", err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "schema" {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				text, err = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	if text == "" || err != nil {
		t.Fatalf("%s has no schema: %v", file, err)
	}
	return text
}

// compiled returns the schema, ready to judge.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText(t)))
	if err != nil {
		t.Fatal(err)
	}
	const url = "sarif-schema-2.1.0.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(url, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(url)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate judges what write writes.
func validate(t *testing.T, schema *jsonschema.Schema, name string, write func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(log); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestSARIFOfCheck(t *testing.T) {
	schema := compiled(t)
	var all []finding.Finding // one of each rule
	for _, info := range finding.Rules {
		v := &safetensors.Violation{Rule: info.Rule, Severity: finding.SeverityOf(info.Rule), Tensor: "w\x1b", Span: safetensors.Span{Begin: 8, End: 64}, Detail: "a fault"}
		all = append(all, finding.Finding{File: "dir/a b.safetensors", Violation: v})
	}
	all = append(all, finding.Finding{File: "/abs/x", Violation: &safetensors.Violation{Rule: checkpoint.RuleTwoCopies, Severity: finding.SeverityOf(checkpoint.RuleTwoCopies), Tensor: "", Span: safetensors.Span{}, Detail: ""}})
	all = append(all, finding.Finding{File: "x", Allowed: "so", Violation: &safetensors.Violation{Rule: checkpoint.RuleTwoCopies, Severity: finding.SeverityOf(checkpoint.RuleTwoCopies), Tensor: "", Span: safetensors.Span{}, Detail: ""}})
	omitted := []finding.Omission{{Rule: safetensors.RuleHole, File: "x", N: 7}, {Rule: safetensors.RuleHole, File: "x", N: 1, Allowed: "so"}}
	for name, check := range map[string]*finding.Check{
		"nothing found": {},
		"every rule":    {Findings: all, Omitted: omitted, Root: "/abs"},
		"unread":        {Unread: []finding.Unread{{File: "gone", Message: "gone"}}},
	} {
		for _, verbose := range []bool{false, true} {
			check.Form = finding.CheckForm{Verbose: verbose, Version: "v1.2.3"}
			validate(t, schema, name, func(w io.Writer) error { return check.SARIF(w, typeset.Style{}) })
		}
	}
}

func TestSARIFOfScan(t *testing.T) {
	schema := compiled(t)
	all := &scan.Report{Members: []scan.Member{{Path: "in", Offset: 40}, {Path: "unpacked", Offset: -1}}}
	for r := range scan.Rules() {
		for _, member := range []string{"", "in", "unpacked", "gone"} {
			all.Findings = append(all.Findings, scan.Finding{Member: member, Finding: pickle.Finding{Rule: r, Severity: scan.Severity(r), Offset: 7, Message: "a {fault}\x1b"}})
		}
	}
	for name, found := range map[string]*scanreport.Scan{
		"nothing found": {Files: []scanreport.ScannedFile{{Path: "a", Report: &scan.Report{Complete: true}}}},
		"every rule":    {Files: []scanreport.ScannedFile{{Path: "dir/a b.pt", Report: all}}},
		"unread":        {Unread: []finding.Unread{{File: "gone", Message: "gone"}}},
	} {
		validate(t, schema, name, func(w io.Writer) error { return found.SARIF(w, typeset.Style{}, "v1.2.3") })
	}
}
