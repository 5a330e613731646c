// All JSON that the scripts and transcripts write fits docs/schema.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// documentsDir is the environment variable with the folder in which recorded leaves the JSON it writes.
const documentsDir = "WEIGH_TEST_DOCUMENTS"

// recorded is the program, which leaves a copy of its JSON in documentsDir.
func recorded() {
	dir := os.Getenv(documentsDir)
	if dir == "" || !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "json") }) {
		main()
	}
	var document bytes.Buffer
	code := start(io.MultiWriter(os.Stdout, &document))
	if saysSchema.Match(document.Bytes()) && (code < 2 || json.Valid(document.Bytes())) {
		f, err := os.CreateTemp(dir, "*.json")
		if err == nil {
			_, err = fmt.Fprintf(f, "%q\n%s", os.Args[1:], document.Bytes())
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// saysSchema matches the start of a document, with the name of its schema.
var saysSchema = regexp.MustCompile(`^\s*\{\s*"schema":\s*"(weigh\.[a-z]+/[0-9]+)"`)

// recordDocuments returns a folder for documentsDir. The documents there are validated at the end of the test.
func recordDocuments(t *testing.T, then func()) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Cleanup(func() {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			command, document, _ := bytes.Cut(text, []byte("\n"))
			validateDocument(t, string(command), document)
		}

		then()
	})
	return dir
}

// copyDocuments adds the JSON files in a folder to the recorded documents.
func copyDocuments(t testing.TB, from, to string) {
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // scripts make unreadable folders
		}
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		head := make([]byte, 64)
		n, _ := io.ReadFull(f, head)
		if m := saysSchema.FindSubmatch(head[:n]); m == nil || string(m[1]) == "weigh.baseline/1" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !json.Valid(text) { // others are inputs of tests
			return err
		}
		return os.WriteFile(filepath.Join(to, filepath.Base(filepath.Dir(name))+"-"+filepath.Base(name)+".json"),
			append([]byte(name+"\n"), text...), 0o666)
	})
	if err != nil {
		t.Error(err)
	}
}

// A formats is the compiled schemas, and the fields that documents had.
type formats struct {
	schemas map[string]*jsonschema.Schema // by name, as in "weigh.info/1"
	texts   map[string]map[string]any

	mu   sync.Mutex
	seen map[string]bool // fields that were not null, by fieldKey
}

// loadFormats reads docs/schema. Unlike a user's, these schemas allow no fields that they do not name.
var loadFormats = sync.OnceValues(func() (*formats, error) {
	f := &formats{schemas: make(map[string]*jsonschema.Schema), texts: make(map[string]map[string]any),
		seen: make(map[string]bool)}
	files, err := filepath.Glob(schemaDir + "/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		root := document.(map[string]any)
		closeObjects(root)
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(name, root); err != nil {
			return nil, err
		}
		title := root["title"].(string)
		if f.schemas[title], err = compiler.Compile(name); err != nil { // which validates it by the draft's schema
			return nil, err
		}
		f.texts[title] = root
	}
	return f, nil
})

// closeObjects forbids further fields in all objects.
func closeObjects(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		if _, ok := schema["properties"]; ok && schema["type"] == "object" {
			schema["additionalProperties"] = false
		}
		for _, v := range schema {
			closeObjects(v)
		}
	case []any:
		for _, v := range schema {
			closeObjects(v)
		}
	}
}

// validateDocument validates what a command wrote.
func validateDocument(t *testing.T, command string, text []byte) {
	t.Helper()
	f, err := loadFormats()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Errorf("weigh %s: %v", command, err)
		return
	}
	root, _ := document.(map[string]any)
	name, _ := root["schema"].(string)
	if f.schemas[name] == nil {
		t.Errorf("weigh %s: there is no schema %q", command, name)
		return
	}
	if err := f.schemas[name].Validate(document); err != nil {
		t.Errorf("weigh %s: %v", command, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note(name, "", f.texts[name], document)
}

// note records the fields of a value that are not null.
func (f *formats) note(format, table string, schema map[string]any, value any) {
	if ref, ok := schema["$ref"].(string); ok {
		table = strings.TrimPrefix(ref, "#/$defs/")
		schema = f.texts[format]["$defs"].(map[string]any)[table].(map[string]any)
	}
	forms, _ := schema["anyOf"].([]any)
	for _, form := range forms {
		f.note(format, table, form.(map[string]any), value)
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, v := range value {
			if property, ok := properties[name].(map[string]any); ok && v != nil {
				f.seen[fieldKey(name, property)] = true
				f.note(format, table, property, v)
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, v := range value {
			if table != "values" {
				f.note(format, table, items, v)
			}
		}
	}
}

// fieldKey identifies a field of a table, which several formats may share.
func fieldKey(name string, property map[string]any) string {
	return fmt.Sprintf("%s: %s", name, property["description"])
}

// unseen returns the fields that no document had with a value.
func (f *formats) unseen() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	add := func(format, table string, schema map[string]any) {
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			if !f.seen[fieldKey(name, property.(map[string]any))] {
				list = append(list, format+" "+table+"."+name)
			}
		}
	}
	for format, root := range f.texts {
		add(format, "", root)
		defs, _ := root["$defs"].(map[string]any)
		for table, def := range defs {
			add(format, table, def.(map[string]any))
		}
	}
	slices.Sort(list)
	return list
}

// Every field of every schema has a value in some script, so that its type is tested.
func everyFieldIsSeen(t *testing.T) {
	if flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.skip").Value.String() != "" {
		return // other scripts may have the field
	}
	f, err := loadFormats()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range f.unseen() {
		t.Errorf("no script shows a value of the field %s", field)
	}
}
