// SARIF as written, against the schema as published.

package sarifcheck

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
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

func TestSARIFIsValid(t *testing.T) {
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

	var all []render.Finding // one of each rule
	for r := range safetensors.Rules() {
		all = append(all, render.Finding{File: "dir/a b.safetensors", Violation: &safetensors.Violation{
			Rule: r, Tensor: "w\x1b", Span: safetensors.Span{Begin: 8, End: 64}, Detail: "a fault",
		}})
	}
	all = append(all, render.Finding{File: "/abs/x", Violation: &safetensors.Violation{Rule: safetensors.RuleTwoCopies}})
	all = append(all, render.Finding{File: "x", Allowed: "so", Violation: &safetensors.Violation{Rule: safetensors.RuleTwoCopies}})
	omitted := []render.Omission{{Rule: safetensors.RuleHole, File: "x", N: 7}, {Rule: safetensors.RuleHole, File: "x", N: 1, Allowed: "so"}}
	for name, check := range map[string]*render.Check{
		"nothing found": {},
		"every rule":    {Findings: all, Omitted: omitted, Root: "/abs"},
		"unread":        {Unread: []render.Unread{{File: "gone", Message: "gone"}}},
	} {
		for _, verbose := range []bool{false, true} {
			var b bytes.Buffer
			if err := check.SARIF(&b, typeset.Style{}, "v1.2.3", verbose); err != nil {
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
	}
}
