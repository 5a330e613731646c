// What the pages show, compared with what the commands print.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/weightools/safetensors"
)

// A visit is a browser at a server of weigh view.
type visit struct {
	*testing.T
	*browser
	program string
	address *url.URL
}

// browse starts the server and the browser. Without Chromium, the test is skipped.
func browse(t *testing.T, targets ...string) *visit {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	line, err := serve(t.Context(), name, targets)
	if err != nil {
		t.Fatal(err)
	}
	v := &visit{T: t, program: name}
	if v.address, err = url.Parse(line); err != nil {
		t.Fatal(err)
	}
	if v.browser, err = openBrowser(t.TempDir(), "", t.TempDir()); err != nil {
		t.Skipf("there is no Chromium: %v", err)
	}
	t.Cleanup(v.close)
	return v
}

// program is the built program, for all tests.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "weigh-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "weigh")
	text, err := exec.Command("go", "build", "-o", program,
		"github.com/weightools/safetensors/cmd/weigh").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return program, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// do does something on the page.
func (v *visit) do(steps ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		v.Fatal(err, v.said())
	}
}

// open goes to a page and waits until something is visible.
func (v *visit) open(path, wait string) {
	v.Helper()
	at := *v.address
	at.Path, at.RawQuery, _ = strings.Cut(path, "?")
	at.RawQuery = strings.TrimPrefix(at.RawQuery+"&"+v.address.RawQuery, "&")
	v.do(chromedp.Navigate(at.String()), seen(wait))
}

func seen(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector))
}

// text returns the text of an element.
func (v *visit) text(selector string) string {
	v.Helper()
	return eval[string](v, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.innerText).join("\n")`,
		selector))
}

// eval returns the value of an expression on the page.
func eval[T any](v *visit, expression string) T {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, 30*time.Second)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		v.Fatal(err)
	}
	return value
}

// until waits for a condition.
func (v *visit) until(what string, condition func() bool) {
	v.Helper()
	for range 300 {
		if condition() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	v.Fatalf("not so after 30 s: %s; the page has %.500s", what, v.text("main"))
}

// has waits until the page shows a text.
func (v *visit) has(selector, text string) {
	v.Helper()
	v.until(selector+" has "+text, func() bool { return strings.Contains(v.text(selector), text) })
}

// weigh returns the JSON of a command.
func (v *visit) weigh(args ...string) (o map[string]any) {
	v.Helper()
	text, err := exec.Command(v.program, append(args, "--json")...).Output()
	if err != nil && len(text) == 0 {
		v.Fatal(args, err)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		v.Fatal(args, err)
	}
	return o
}

// quiet fails if the console has an error.
func (v *visit) quiet() {
	v.Helper()
	if err := v.said(); err != nil {
		v.Error(err)
	}
}

// The pages show the numbers of the commands.
func TestNumbers(t *testing.T) {
	targets, err := makeModel(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := browse(t, targets...)
	v.open("/", ".treemap .box")
	info := v.weigh("info", targets[0])
	params := info["totals"].(map[string]any)["params"].(float64)
	v.has(".figures", grouped(int64(params)))
	name := "model.layers.0.self_attn.q_proj.weight"
	v.open("/tensor?name="+name, ".places")
	v.has("h1", name)
	stats := v.weigh("stats", targets[0], name)["tensors"].([]any)[0].(map[string]any)
	for _, key := range []string{"min", "max", "mean", "std"} {
		v.has(".tensor-columns", strings.ReplaceAll(strconv.FormatFloat(stats[key].(float64), 'g', 6, 64), "e-0", "e-"))
	}
	v.until("values are shown", func() bool { return v.text("pre.values") != "" })
	cat, err := exec.Command(v.program, "cat", targets[0], name+"[:8, :6]").Output()
	if got := v.text("pre.values"); err != nil || strings.TrimSpace(got) != strings.TrimSpace(string(cat)) {
		t.Errorf("the page shows\n%s\nand cat\n%s", got, cat)
	}
	v.open("/bytes?at=0", ".dump")
	v.has(".dump", "7b 22") // the header begins with {"
	v.quiet()
}

// grouped returns a number with separators.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// A page without a server shows its data, and requests nothing.
func TestExport(t *testing.T) {
	targets, err := makeModel(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v := browse(t, targets...)
	file := filepath.Join(t.TempDir(), "report.html")
	if text, err := exec.Command(v.program, "view", "--export", file, targets[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	v.do(chromedp.Navigate("file://"+file), seen(".treemap .box"))
	v.has("main", "LlamaForCausalLM")
	if n := eval[int](v, `performance.getEntriesByType("resource").length`); n > 0 {
		t.Errorf("the exported page made %d requests", n)
	}
	v.quiet()
}

// A weight of FP8 is shown as numbers, with the parts that it is made of.
func TestPackedWeight(t *testing.T) {
	folder := t.TempDir()
	w, err := safetensors.NewTensor("model.layers.0.mlp.up_proj.weight", make([]uint8, 128*256), 128, 256)
	if err != nil {
		t.Fatal(err)
	}
	w.Dtype = safetensors.F8_E4M3
	scale, err := safetensors.NewTensor(w.Name+"_scale_inv", []float32{2, 4}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]any{"architectures": []string{"DeepseekV3ForCausalLM"}, "quantization_config": map[string]any{
		"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": []int{128, 128}}}
	if err := writeJSON(filepath.Join(folder, "config.json"), config); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(filepath.Join(folder, "model.safetensors"), w, scale); err != nil {
		t.Fatal(err)
	}
	v := browse(t, folder)
	v.open("/tensor?name="+w.Name, ".places")
	v.has(".parts", "weight_scale_inv")
	v.quiet()
}

// A remote model is shown, and reading ends when the page is left.
func TestLeaving(t *testing.T) {
	folder := t.TempDir()
	one, err := safetensors.NewTensor("big", make([]float32, 8<<20), 4096, 2048)
	if err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(filepath.Join(folder, "x.safetensors"), one); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(&slowly{w, &sent}, r)
	}))
	t.Cleanup(server.Close)
	if err := os.Setenv("WEIGH_CACHE", "off"); err != nil {
		t.Fatal(err)
	}
	v := browse(t, server.URL+"/x.safetensors")
	v.open("/tensor?name=big", ".heat-area")
	if sent.Load() > 12<<20 {
		t.Errorf("the page has read %d bytes without being asked for more", sent.Load())
	}
	v.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool](`fetch("/api/stats?id=0&progress=1"), true`)(ctx, target)
		return err
	}))
	before := sent.Load()
	v.until("values are read", func() bool { return sent.Load() > before+1<<20 })
	v.do(chromedp.Navigate("about:blank"))
	time.Sleep(2 * time.Second)
	left := sent.Load()
	time.Sleep(2 * time.Second)
	if n := sent.Load() - left; n > 0 {
		t.Errorf("%d bytes were read after the page was left", n)
	}
}

// A slowly sends few bytes at a time.
type slowly struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (s *slowly) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		var m int
		m, err = s.ResponseWriter.Write(b[:min(len(b), 256<<10)])
		b, n = b[m:], n+m
		s.sent.Add(int64(m))
		time.Sleep(50 * time.Millisecond)
	}
	return n, err
}
