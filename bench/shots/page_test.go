// What people do on the pages: filter, sort, open, go back, with the mouse and with the keyboard alone.

package main

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A session is a browser on the pages of one server.
type session struct {
	t    *testing.T
	b    *browser
	ctx  context.Context
	base string
	key  string // the token
}

// open starts the program on a model and a browser on its first page.
func open(t *testing.T, make func(string) ([]string, error)) *session {
	t.Helper()
	if testing.Short() {
		t.Skip("the browser takes long")
	}
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		_, err := exec.LookPath(name)
		found = found || err == nil
	}
	if !found {
		t.Skip("there is no Chromium")
	}
	work := t.TempDir()
	program := filepath.Join(work, "weigh")
	if text, err := exec.Command("go", "build", "-o", program,
		"github.com/weightools/safetensors/cmd/weigh").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	targets, err := make(work)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	address, err := serve(ctx, program, targets)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openBrowser(work, "", work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	limited, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	t.Cleanup(cancel)
	base, key, _ := strings.Cut(address, "?token=")
	s := &session{t, b, limited, strings.TrimSuffix(base, "/"), key}
	s.do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS("nav a")))
	return s
}

func (s *session) do(steps ...chromedp.Action[chromedp.Void]) {
	s.t.Helper()
	if err := chromedp.Do(s.ctx, steps...); err != nil {
		text, _ := chromedp.Run(s.b.ctx, chromedp.Text(chromedp.CSS("body")))
		s.t.Fatalf("%v\n%v\n%.900s", err, s.b.said(), strings.Join(strings.Fields(text), " "))
	}
}

// until waits for an expression of JavaScript to be true.
func (s *session) until(expression string) {
	s.t.Helper()
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(10*time.Second)))
		return chromedp.Void{}, err
	})
}

func (s *session) text(selector string) string {
	s.t.Helper()
	text, err := chromedp.Run(s.ctx, chromedp.TextContent(chromedp.CSS(selector)))
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// address returns the path and query of the page, without the server.
func (s *session) address() string {
	s.t.Helper()
	location, err := chromedp.Run(s.ctx, chromedp.Location())
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(location, s.key) {
		s.t.Errorf("the address %s still has the token", location)
	}
	return strings.TrimPrefix(location, s.base)
}

func (s *session) quiet() {
	s.t.Helper()
	if err := s.b.said(); err != nil {
		s.t.Error(err)
	}
}

const firstRow = `document.querySelector('.grid-body .row[aria-rowindex="2"] .cell')?.textContent`

func TestMouse(t *testing.T) {
	s := open(t, makeModel)
	s.do(chromedp.WaitVisible(chromedp.CSS(".treemap .box")), chromedp.Click(chromedp.CSS(`nav a[href="/tensors"]`)),
		chromedp.WaitVisible(chromedp.CSS(".grid-body .row a")),
		chromedp.SendKeys(chromedp.CSS("input[type=search]"), "17.self_attn"))
	s.until(`document.querySelectorAll('.grid-body .row').length === 4`)
	if got := s.address(); got != "/tensors?include=17.self_attn" {
		t.Errorf("the filter is not in the address: %s", got)
	}
	s.do(chromedp.Click(chromedp.CSS(".summary button.link")))
	s.until(`document.querySelector('.summary').textContent.startsWith('220 tensors')`)
	s.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('.grid-head button')]` +
		`.find((b) => b.textContent === 'Size').click()`))
	s.until(`document.querySelector('[aria-sort="descending"]')?.textContent === 'Size' && ` + firstRow +
		` === 'model.embed_tokens.weight'`)
	s.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-sort="descending"] button').click()`))
	s.until(`document.querySelector('[aria-sort="ascending"]')?.textContent === 'Size' && ` + firstRow +
		`.includes('norm')`)
	s.do(chromedp.Click(chromedp.CSS(".grid-body .row a")), chromedp.WaitVisible(chromedp.CSS(".heat-area canvas")))
	if got := s.address(); !strings.HasPrefix(got, "/tensor?") {
		t.Errorf("a click on a tensor leads to %s", got)
	}
	s.do(chromedp.NavigateBack())
	s.until(`document.querySelector('[aria-sort="ascending"]')?.textContent === 'Size'`)
	s.quiet()
}

func TestKeyboard(t *testing.T) {
	s := open(t, makeModel)
	s.do(chromedp.KeyEvent("2"), chromedp.WaitVisible(chromedp.CSS(".grid-body .row a")), chromedp.KeyEvent("/"))
	s.until(`document.activeElement.type === 'search'`)
	// KeyEvent sends the character although the page handles the key.
	s.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`), chromedp.KeyEvent("q_proj"),
		chromedp.KeyEvent(kb.Enter))
	s.until(`document.activeElement.className === 'grid' && ` +
		`document.querySelector('.summary').textContent.startsWith('24 of 220')`)
	s.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.End))
	s.until(`document.querySelector('.row.at')?.textContent.includes('layers.23.')`)
	s.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(chromedp.CSS(".heat-area canvas")))
	if got := s.text("h1"); got != "model.layers.1.self_attn.q_proj.weight" {
		t.Errorf("Enter opened %s", got)
	}
	s.until(`document.querySelector('.readout').textContent.length > 0`)
	s.do(chromedp.Focus(chromedp.CSS(".heat-area canvas")), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"),
		chromedp.KeyEvent(kb.ArrowRight))
	s.until(`location.search.includes('view=')`)
	s.do(chromedp.KeyEvent("0"))
	s.until(`!location.search.includes('view=')`)
	s.do(chromedp.KeyEvent("?"))
	s.until(`document.querySelector('dialog').open`)
	s.do(chromedp.KeyEvent(kb.Escape))
	s.until(`!document.querySelector('dialog').open`)
	s.quiet()
}

// The address of an outlier leads to it, and what it says is what weigh cat says.
func TestDeepLink(t *testing.T) {
	s := open(t, makeModel)
	s.do(chromedp.Navigate(s.base+"/tensor?"+url.Values{"name": {q}, "cell": {"3,5"}, "slice": {"3, 5"}}.Encode()),
		chromedp.WaitVisible(chromedp.CSS(".values")),
		chromedp.WaitVisible(chromedp.CSS(".places")))
	command := s.text(".command code")
	line := exec.Command("sh", "-c", strings.Replace(command, "weigh",
		"go run github.com/weightools/safetensors/cmd/weigh", 1))
	line.Stderr = os.Stderr
	want, err := line.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(s.text(".values")); got != strings.TrimSpace(string(want)) {
		t.Errorf("the page says %s, and %s says %s", got, command, want)
	}
	s.quiet()
}

// Names and metadata that are markup, script, directions or very long are text.
func TestHostileNames(t *testing.T) {
	s := open(t, makeHostile)
	for _, page := range []string{"/", "/tensors", "/tensors?view=tree", "/layers", "/bytes?at=0", "/tensor?id=0",
		"/tensor?id=5", "/tensor?id=11"} {
		s.do(chromedp.Navigate(s.base+page), chromedp.WaitVisible(chromedp.CSS("main *")),
			chromedp.Sleep(500*time.Millisecond))
		s.until(`document.querySelectorAll('main img, main script, main iframe').length === 0`)
		s.until(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
		s.until(`!/[\u202a-\u202e\u2066-\u2069\u0000\u001b]/.test(document.body.innerText)`)
	}
	s.quiet()
}
