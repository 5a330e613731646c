// The bundle is small, has no inline script, and names the licenses of all it contains.

package page_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/page"
)

// most is how large the page can be as it is transferred, in bytes.
const most = 150_000

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func TestSize(t *testing.T) {
	var size counter
	w := gzip.NewWriter(&size)
	for _, name := range []string{"index.html", "app.js", "app.css"} {
		w.Write(read(t, name))
	}
	w.Close()
	t.Logf("%d bytes compressed", size)
	if size > most {
		t.Errorf("the page has %d bytes compressed, and may have %d", size, most)
	}
}

func TestNothingInline(t *testing.T) {
	html := string(read(t, "index.html"))
	for _, bad := range []string{`<script[^>]*>[^<]`, `<style`, ` style=`, ` on[a-z]+=`, `https?://`} {
		if found := regexp.MustCompile(bad).FindString(html); found != "" {
			t.Errorf("index.html has %q, which the content security policy forbids", found)
		}
	}
	for _, name := range []string{"app.js", "app.css"} {
		// Names of XML namespaces and pages that error messages refer to are never requested.
		remote := regexp.MustCompile(`(?:import\(|url\(|src=)["']?(?:https?:)?//[^"')]*`)
		if found := remote.Find(read(t, name)); found != nil {
			t.Errorf("%s requests %s", name, found)
		}
	}
}

func TestLicenses(t *testing.T) {
	data, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	text := string(read(t, "licenses.txt"))
	for key, p := range lock.Packages {
		name, ok := strings.CutPrefix(key, "node_modules/")
		if ok && !p.Dev && !strings.Contains(text, "\n"+name+" "+p.Version+", "+p.License+"\n") {
			t.Errorf("licenses.txt lacks %s %s", name, p.Version)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	f, err := page.FS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
