// docs/json.md names every field that the machine form can have.

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A field is a tag of a struct, or a member of an object that is written piece
// by piece. Both are read from the source of package render: output alone would
// show the fields of the files at hand.
func TestEveryFieldIsDocumented(t *testing.T) {
	documented := make(map[string]bool)
	for _, section := range docSections(t) {
		for _, name := range section.names {
			documented[name] = true
		}
		for _, table := range section.tables {
			for _, field := range table {
				documented[field.name] = true
			}
		}
	}
	files, err := filepath.Glob("internal/render/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		// The forms for code scanners and for CI servers are documented elsewhere.
		if base := filepath.Base(name); base == "sarif.go" || base == "junit.go" || strings.HasSuffix(base, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fieldsOf(f) {
			if !documented[field] {
				t.Errorf("docs/json.md does not name %q, which %s writes", field, name)
			}
		}
	}
}

// tag is that of a field which package json writes.
var tag = regexp.MustCompile(`json:"([^",]+)`)

// fieldsOf returns the names of all fields that a file of package render may
// write, and of the schemas that they belong to.
func fieldsOf(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				if m := tag.FindStringSubmatch(n.Tag.Value); m != nil {
					names = append(names, m[1])
				}
			}
		case *ast.CallExpr: // encode.M("name", value)
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "M" && len(n.Args) == 2 {
				if lit, ok := n.Args[0].(*ast.BasicLit); ok {
					names = append(names, strings.Trim(lit.Value, `"`))
				}
			}
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && strings.HasPrefix(s, "weigh.") {
				names = append(names, s)
			}
		}
		return true
	})
	return names
}
