package viewer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/judge"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/look"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer"

	"github.com/spf13/cobra"
)

const testdata = "../../../../testdata"

// pages stands for the files of the page.
var pages = fstest.MapFS{
	"index.html": {Data: []byte(`<!doctype html><html><head><link rel="stylesheet" href="/assets/app.css">` +
		`<script defer src="/assets/app.js"></script></head><body></body></html>`)},
	"app.js":  {Data: []byte(`let s = "</script>"`)},
	"app.css": {Data: []byte("p { color: red }")},
}

// session returns a session without a terminal.
func session(t *testing.T, out io.Writer) *cli.Session {
	t.Helper()
	return cli.NewSession(t.Context(), strings.NewReader(""), out, t.Output(), func(string) string { return "" })
}

// open returns the viewer of some targets.
func open(t *testing.T, targets ...string) *viewer.Viewer {
	t.Helper()
	v, err := viewer.Open(t.Context(), session(t, io.Discard), target.Names(targets), viewer.Options{Page: pages})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// get returns the answer to a request.
func get(t *testing.T, v http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	v.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w
}

// ask returns the JSON of an answer.
func ask(t *testing.T, v http.Handler, path string) map[string]any {
	t.Helper()
	w := get(t, v, path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return object(t, w.Body.Bytes())
}

func object(t *testing.T, text []byte) (o map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

// printed returns what a command prints.
func printed(t *testing.T, verb func(*cli.Session) *cobra.Command, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	cmd := verb(session(t, &out))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(t.Context()); err != nil && err != cli.ErrFound {
		t.Fatal(err)
	}
	return out.Bytes()
}

// same compares members of two objects.
func same(t *testing.T, what string, got, want map[string]any, members ...string) {
	t.Helper()
	for _, m := range members {
		g, _ := json.Marshal(got[m])
		w, _ := json.Marshal(want[m])
		if !bytes.Equal(g, w) || want[m] == nil {
			t.Errorf("%s: %s is\n%s\nand the command line has\n%s", what, m, g, w)
		}
	}
}

// The numbers of the page are those of the commands.
func TestNumbers(t *testing.T) {
	sample := filepath.Join(testdata, "sample")
	for _, name := range []string{sample, filepath.Join(testdata, "gguf"),
		filepath.Join(testdata, "python", "shapes.safetensors")} {
		if filepath.Base(name) == "gguf" {
			list, _ := filepath.Glob(filepath.Join(name, "*.gguf"))
			if len(list) == 0 {
				continue
			}
			name = list[0]
		}
		v := open(t, name)
		info := object(t, printed(t, look.Info, name, "--json"))
		same(t, name, ask(t, v, "/api/info"), info, "totals", "dtypes", "models", "sets")
		rows := ask(t, v, "/api/rows?limit=500")["rows"].([]any)
		for i, one := range info["tensors"].([]any) {
			want := one.(map[string]any)
			row := rows[i].(map[string]any)
			same(t, name, row, want, "name", "dtype", "shape", "bytes", "file")
			if readable := ask(t, v, "/api/tensor?id="+row["id"].(json.Number).String())["readable"]; readable != true {
				continue
			}
			id := "id=" + row["id"].(json.Number).String()
			stats := object(t, printed(t, look.Stats, name, quote(want["name"].(string)), "--json", "--bins", "16"))
			same(t, name, ask(t, v, "/api/stats?bins=16&"+id), stats, "tensors")
			slice := strings.Repeat(",:3", len(want["shape"].([]any)))
			slice = strings.TrimPrefix(slice, ",")
			text := ask(t, v, "/api/slice?"+id+"&slice="+slice)["text"]
			if cat := string(printed(t, look.Cat, name, want["name"].(string)+"["+slice+"]")); text != cat {
				t.Errorf("%s: the page shows %q, and cat %q", want["name"], text, cat)
			}
		}
		same(t, name, ask(t, v, "/api/check"), object(t, printed(t, judge.Check, name, "--json")), "counts", "findings",
			"ok")
	}
	one := filepath.Join(sample, "model-00001-of-00002.safetensors")
	v := open(t, sample, one)
	same(t, "layout", ask(t, v, "/api/layout?t=1"), object(t, printed(t, look.Layout, one, "--json")), "size", "target")
	same(t, "diff", ask(t, v, "/api/diff?values=1"),
		object(t, printed(t, judge.Diff, sample, one, "--json", "--values")),
		"counts", "layers", "components", "different")
}

// quote returns the glob that matches a name alone.
func quote(name string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(name)
}

// Names, metadata and paths from files are bounded and escaped.
func TestHostileNames(t *testing.T) {
	long := strings.Repeat("a.", 300_000)
	names := []string{"<img src=x onerror=alert(1)>", "\u202egnp.exe", "\x00\x1b[31m", long, "a\nb", "__proto__"}
	var tensors []*safetensors.Tensor
	for _, name := range names {
		one, _ := safetensors.NewTensor(name, []float32{1, 2}, 2)
		tensors = append(tensors, one)
	}
	e := &safetensors.Encoder{KeepOrder: true,
		Metadata: map[string]string{"</script><script>alert(1)</script>": long, "\u202e": "x"}}
	file := filepath.Join(t.TempDir(), "hostile.safetensors")
	if err := e.WriteFile(file, tensors...); err != nil {
		t.Fatal(err)
	}
	v := open(t, file)
	for _, path := range []string{"/api/session", "/api/info", "/api/metadata", "/api/rows", "/api/rows?fold=1",
		"/api/tree?depth=4",
		"/api/facets", "/api/check", "/api/layers", "/api/layout", "/api/tensor?id=3"} {
		if n := get(t, v, path).Body.Len(); n > 40_000 {
			t.Errorf("%s answers with %d bytes", path, n)
		}
	}
	rows := ask(t, v, "/api/rows")["rows"].([]any)
	for i, want := range []string{"", `\u202egnp.exe`, `\u0000\u001b[31m`, "", `a\nb`, ""} {
		row := rows[i].(map[string]any)
		if label, _ := row["label"].(string); want != "" && label != want {
			t.Errorf("the label of %q is %q", names[i], label)
		}
	}
	if row := rows[3].(map[string]any); row["name"] != nil || len(row["label"].(string)) > 300 {
		t.Errorf("a name of 600,000 bytes is shown as %v", row["label"])
	}
	if id := ask(t, v, "/api/tensor?name="+url.QueryEscape(names[0]))["id"]; id != json.Number("0") {
		t.Errorf("%q is tensor %v", names[0], id)
	}
	var page bytes.Buffer
	if err := v.Export(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page.String(), "<script"); n != 2 || strings.Contains(page.String(), "<img") {
		t.Errorf("the exported page has %d scripts:\n%.2000s", n, page.String())
	}
}

// A broken file is shown as far as it can be read.
func TestBroken(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata, "sample", "model-00001-of-00002.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "broken.safetensors")
	if err := os.WriteFile(file, text[:len(text)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	v := open(t, file)
	if check := ask(t, v, "/api/check"); check["ok"] != false || len(check["findings"].([]any)) == 0 {
		t.Errorf("check: %v", check)
	}
	one := ask(t, v, "/api/tensor?id=0")
	if one["readable"] != false || !strings.Contains(one["reason"].(string), "truncated") {
		t.Errorf("tensor: %v", one)
	}
	if w := get(t, v, "/api/tile?id=0"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("tile: %d %s", w.Code, w.Body)
	}
	kinds := get(t, v, "/api/layout").Body.String()
	if !strings.Contains(kinds, `"missing"`) {
		t.Errorf("layout: %s", kinds)
	}
	if cells := get(t, v, "/api/bytemap?cells=8").Body.String(); !strings.Contains(cells, `"kind":"tensor"`) {
		t.Errorf("bytemap: %s", cells)
	}
	empty := filepath.Join(t.TempDir(), "no.safetensors")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v = open(t, empty)
	for _, path := range []string{"/api/session", "/api/info", "/api/rows", "/api/tree", "/api/check", "/api/layers",
		"/api/facets", "/api/metadata", "/api/layout", "/api/bytemap"} {
		ask(t, v, path)
	}
	for _, path := range []string{"/api/tensor?id=0", "/api/tile?id=0"} {
		if w := get(t, v, path); w.Code < 400 {
			t.Errorf("%s of an empty file: %d", path, w.Code)
		}
	}
}

// Wrong parameters are answered by one line.
func TestParameters(t *testing.T) {
	v := open(t, filepath.Join(testdata, "sample"))
	for path, status := range map[string]int{
		"/api/rows?t=1": 400, "/api/rows?limit=501": 400, "/api/rows?sort=x": 400, "/api/rows?include=%5B": 400,
		"/api/rows?file=x": 404, "/api/tensor": 400, "/api/tensor?id=6": 400, "/api/tensor?id=-1": 400,
		"/api/tensor?name=x":    404,
		"/api/tensor?id=0&as=x": 400, "/api/tensor?id=0&as=weight": 400, "/api/plane?id=1&axes=0,0": 400,
		"/api/plane?id=1&axes=0,2": 400,
		"/api/plane?id=1&at=1":     400, "/api/tile?id=1&level=9": 404, "/api/tile?id=1&x=99999999": 404,
		"/api/tile?id=1&mode=x":               400,
		"/api/tile?id=1&minus_t=0&minus_id=2": 409, "/api/slice?id=1&slice=a": 400, "/api/slice?id=1": 413,
		"/api/slice?id=1&slice=2000": 400,
		"/api/stats?id=1&bins=5000":  400, "/api/series?kind=0": 200, "/api/hex?length=99999": 400,
		"/api/hex?offset=999999": 400,
		"/api/bytemap?cells=0":   400, "/api/layout?file=x": 404, "/api/diff": 400, "/api/explain?rule=x": 400,
		"/api/nothing":      404,
		"/api/tree?depth=7": 400, "/x.js": 404, "/tensor": 200, "/assets/app.js": 200,
	} {
		w := get(t, v, path)
		if w.Code != status {
			t.Errorf("%s: %d, want %d: %s", path, w.Code, status, w.Body)
		}
		if status >= 400 {
			if line, ok := object(t, w.Body.Bytes())["error"].(string); !ok || strings.Contains(line, "\n") {
				t.Errorf("%s: %s", path, w.Body)
			}
		}
	}
}

// A stream ends with the result, and when the page goes, reading ends.
func TestStream(t *testing.T) {
	v := open(t, filepath.Join(testdata, "sample"))
	w := get(t, v, "/api/stats?id=1&progress=1")
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	last := object(t, []byte(lines[len(lines)-1]))
	if last["result"] == nil {
		t.Errorf("the last line is %v", last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRecorder()
	v.ServeHTTP(r, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/stats?id=1&progress=1", nil))
	if !strings.Contains(r.Body.String(), "error") {
		t.Errorf("after the page has gone: %s", r.Body)
	}
}
