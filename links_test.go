// Links between the documents lead to files and headings that exist.

package safetensors_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

func TestLinks(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			checkLinks(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkLinks(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range link.FindAllStringSubmatch(fencedBlock.ReplaceAllString(string(text), ""), -1) {
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, "://") {
			continue
		}
		file := name
		if target != "" {
			file = filepath.Join(filepath.Dir(name), filepath.FromSlash(target))
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s links to %s, which does not exist", name, m[1])
		} else if anchor != "" && !anchors(t, file)[anchor] {
			t.Errorf("%s links to %s, but there is no such heading", name, m[1])
		}
	}
}

// anchors returns the names of a document's headings as GitHub makes them.
func anchors(t *testing.T, file string) map[string]bool {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(string(text), ""), -1) {
		name := strings.ToLower(strings.TrimSpace(m[1]))
		set[regexp.MustCompile(`[^\p{L}\p{N}_\- ]`).ReplaceAllString(name, "")] = true
	}
	for name := range set {
		set[strings.ReplaceAll(name, " ", "-")] = true
	}
	return set
}
