// docs/schema has a JSON Schema for each format. They are made from the tables of docs/json.md.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

const (
	jsonDoc   = "../../docs/json.md"
	schemaDir = "../../docs/schema"
	schemaURL = "https://raw.githubusercontent.com/weightools/safetensors/main/docs/schema/"
)

// A docSection is a section of docs/json.md, and its tables by the names that the paragraphs before them have in
// backquotes. The table of the section itself has the name "".
type docSection struct {
	names  []string // of formats, as in "weigh.info/1"
	anchor string
	tables map[string][]docField
}

// A docField is a row of a table.
type docField struct {
	name, kind, text string
	section          *docSection
}

var (
	code     = regexp.MustCompile("`([^`]+)`")
	linked   = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	rowCells = regexp.MustCompile(`^\| (.*?) \| (.*?) ?\| (.*) \|$`)
)

// docSections reads docs/json.md.
func docSections(t *testing.T) (list []*docSection) {
	t.Helper()
	text, err := os.ReadFile(jsonDoc)
	if err != nil {
		t.Fatal(err)
	}
	var section *docSection
	var paragraph string // the last one
	var tables []string  // whose rows are read
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		cells := rowCells.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "## "):
			title := strings.TrimPrefix(line, "## ")
			section = &docSection{anchor: anchorOf(title), tables: make(map[string][]docField)}
			if strings.HasPrefix(title, "weigh.") {
				section.names = strings.Split(title, ", ")
			}
			list, paragraph = append(list, section), ""
		case line == "":
			paragraph += "\n"
		case strings.HasPrefix(line, "| field | type |"):
			tables = nil
			for _, m := range code.FindAllStringSubmatch(paragraph, -1) {
				tables = append(tables, m[1])
			}
			if tables == nil || len(section.tables) == 0 {
				tables = []string{""}
			}
		case cells != nil && section != nil:
			for _, name := range tables {
				section.tables[name] = append(section.tables[name], fieldsOfRow(section, cells)...)
			}
		case !strings.HasPrefix(line, "|"):
			if strings.HasSuffix(paragraph, "\n") {
				paragraph = ""
			}
			paragraph += line
		}
	}
	return list
}

// anchorOf returns the anchor of a heading.
func anchorOf(title string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 ]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// fieldsOfRow returns the fields of a row. A row that links to a table stands for its fields.
func fieldsOfRow(section *docSection, cells []string) (fields []docField) {
	if linked.MatchString(cells[1]) {
		return []docField{{kind: cells[1]}}
	}
	for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
		fields = append(fields, docField{m[1], cells[2], cells[3], section})
	}
	return fields
}

// A schemaMaker makes the schema of a format.
type schemaMaker struct {
	t        *testing.T
	sections []*docSection
	name     string          // of the format
	defs     []encode.Member // definitions of tables, in the order of use
	known    map[string]bool // their names
}

// schemas returns the texts of the schemas by the names of their files.
func schemas(t *testing.T) map[string]string {
	all := docSections(t)
	files := make(map[string]string)
	for _, section := range all {
		for _, name := range section.names {
			m := &schemaMaker{t: t, sections: all, name: name, known: make(map[string]bool)}
			file := schemaFile(name)
			root := []encode.Member{
				encode.M("$schema", "https://json-schema.org/draft/2020-12/schema"),
				encode.M("$id", schemaURL+file),
				encode.M("title", name),
			}
			root = append(root, m.object(section, "")...)
			if len(m.defs) > 0 {
				root = append(root, encode.M("$defs", m.defs))
			}
			var line, text bytes.Buffer
			if err := encode.Object(&line, typeset.Style{}, root); err != nil {
				t.Fatal(err)
			}
			if err := json.Indent(&text, line.Bytes(), "", "  "); err != nil {
				t.Fatal(err)
			}
			files[file] = text.String()
		}
	}
	return files
}

// schemaFile returns the name of the file with the schema of a format.
func schemaFile(name string) string { return strings.ReplaceAll(name, "/", "-") + ".schema.json" }

// object returns the schema of a table. Fields that later versions add are allowed.
func (m *schemaMaker) object(section *docSection, table string) []encode.Member {
	var properties []encode.Member
	required := []string{}
	for _, f := range m.fields(section, table) {
		form := m.kind(f, f.kind)
		if f.name == "schema" {
			form = []encode.Member{encode.M("const", m.name)}
		}
		properties = append(properties, encode.M(f.name, append(form, encode.M("description", plainText(f.text)))))
		if !strings.HasPrefix(f.text, "optional") {
			required = append(required, f.name)
		}
	}
	return []encode.Member{encode.M("type", "object"), encode.M("properties", properties),
		encode.M("required", required)}
}

// fields returns the fields of a table, with those of the tables that it includes.
func (m *schemaMaker) fields(section *docSection, table string) (list []docField) {
	for _, f := range section.tables[table] {
		if f.name != "" {
			list = append(list, f)
			continue
		}
		list = append(list, m.fields(m.follow(f.kind))...)
	}
	if len(list) == 0 {
		m.t.Errorf("docs/json.md has no table of %q in %q", table, section.anchor)
	}
	return list
}

// follow returns the table that a link leads to.
func (m *schemaMaker) follow(link string) (*docSection, string) {
	parts := linked.FindStringSubmatch(link)
	for _, section := range m.sections {
		if "#"+section.anchor == parts[2] {
			if parts[1] == section.anchor {
				return section, ""
			}
			return section, parts[1]
		}
	}
	m.t.Fatalf("docs/json.md: there is no section for %s", link)
	return nil, ""
}

// plainKinds are the schemas of types that need no other table.
var plainKinds = map[string][]encode.Member{
	"any":     nil,
	"string":  {encode.M("type", "string")},
	"integer": {encode.M("type", "integer")},
	"number":  {encode.M("type", "number")},
	"boolean": {encode.M("type", "boolean")},
	"null":    {encode.M("type", "null")},
	"range": {encode.M("type", "array"), encode.M("items", []encode.Member{encode.M("type", "integer")}),
		encode.M("minItems", 2), encode.M("maxItems", 2)},
}

// kind returns the schema of a type as the tables write it, such as "array of strings or null".
func (m *schemaMaker) kind(f docField, kind string) []encode.Member {
	if parts := strings.FieldsFunc(strings.ReplaceAll(kind, " or ", "|"), isBar); len(parts) > 1 {
		return m.union(f, parts)
	}
	singular := strings.TrimSuffix(kind, "s")
	if form, ok := plainKinds[singular]; ok {
		return append([]encode.Member(nil), form...)
	}
	switch what, of, _ := strings.Cut(kind, " of "); {
	case what == "array" || what == "arrays":
		return []encode.Member{encode.M("type", "array"), encode.M("items", m.kind(f, of))}
	case what == "object" && of != "":
		return []encode.Member{encode.M("type", "object"), encode.M("additionalProperties", m.kind(f, of))}
	case singular == "object":
		return m.reference(f.section, f.name)
	case singular == "enum":
		return []encode.Member{encode.M("enum", literals(f.text))}
	case kind == "values":
		return m.values()
	case linked.MatchString(kind):
		return m.reference(m.follow(kind))
	}
	m.t.Errorf("docs/json.md: %q in %q has the unknown type %q", f.name, f.section.anchor, kind)
	return nil
}

func isBar(r rune) bool { return r == '|' || r == ',' }

// union returns the schema of one of several types.
func (m *schemaMaker) union(f docField, parts []string) []encode.Member {
	var forms []any
	for _, part := range parts {
		forms = append(forms, m.kind(f, strings.TrimSpace(part)))
	}
	return []encode.Member{encode.M("anyOf", forms)}
}

// reference returns a reference to the definition of a table, and makes that.
func (m *schemaMaker) reference(section *docSection, table string) []encode.Member {
	name := table
	if !slices.Contains(section.names, m.name) {
		name = strings.Trim(section.anchor+"-"+table, "-")
	}
	if !m.known[name] {
		m.known[name] = true
		at := len(m.defs)
		m.defs = append(m.defs, encode.M(name, nil))
		m.defs[at].Value = m.object(section, table)
	}
	return []encode.Member{encode.M("$ref", "#/$defs/"+name)}
}

// values returns the schema of the values of tensors: numbers and names of numbers, nested by shape.
func (m *schemaMaker) values() []encode.Member {
	self := []encode.Member{encode.M("$ref", "#/$defs/values")}
	if !m.known["values"] {
		m.known["values"] = true
		m.defs = append(m.defs, encode.M("values", []encode.Member{encode.M("anyOf", []any{
			[]encode.Member{encode.M("type", []string{"number", "boolean"})},
			[]encode.Member{encode.M("enum", []string{"NaN", "Infinity", "-Infinity"})},
			[]encode.Member{encode.M("type", "array"), encode.M("items", self)},
		})}))
	}
	return self
}

// literals returns the strings in backquotes and quotes.
func literals(text string) (list []string) {
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		if s := strings.Trim(m[1], `"`); m[1] == `"`+s+`"` {
			list = append(list, s)
		}
	}
	return list
}

// plainText returns text without links, backquotes and what refers to other tables.
func plainText(text string) string {
	return strings.NewReplacer("`", "", ", see below", "").Replace(linked.ReplaceAllString(text, "$1"))
}

// The sections of docs/json.md have the order of its list, which links to the schema of each.
func TestSectionsOfJSON(t *testing.T) {
	text, err := os.ReadFile(jsonDoc)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, section := range docSections(t) {
		if section.names != nil {
			want = append(want, fmt.Sprintf("[%s](#%s)", strings.Join(section.names, ", "), section.anchor))
		}
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^- (\[weigh\.[^\]]*\]\([^)]*\))`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, m[1])
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the list of docs/json.md has\n%s\nand its sections are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for file := range schemas(t) {
		if !strings.Contains(string(text), "(schema/"+file+")") {
			t.Errorf("docs/json.md does not link to schema/%s", file)
		}
	}
}
