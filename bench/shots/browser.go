// Chromium: pictures, the console and accessibility.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// emptyCanvases counts pictures and charts without anything in them.
const emptyCanvases = `[...document.querySelectorAll("canvas")].filter((c) => !c.width || !c.height ||
	!c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((x) => x)).length`

var widths = []int64{1440, 390}

type browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
	out    string
	axe    string // the script, or empty

	mu     sync.Mutex
	errors []string // of the console, since the last picture
}

func openBrowser(out, axe, work string) (*browser, error) {
	b := &browser{out: out}
	if axe != "" {
		script, err := os.ReadFile(axe)
		if err != nil {
			return nil, err
		}
		b.axe = string(script)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(work, "profile")), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", false))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	b.cancel = append(b.cancel, cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	b.cancel = append(b.cancel, cancel)
	b.ctx = ctx
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.record(m)
		}
	}()
	return b, chromedp.Do(ctx)
}

func (b *browser) close() {
	for i := len(b.cancel) - 1; i >= 0; i-- {
		b.cancel[i]()
	}
}

// record keeps what a developer would see in red or yellow.
func (b *browser) record(m chromedp.ConsoleMessage) {
	if m.IsException() || m.Type == "error" || m.Type == "warning" {
		b.mu.Lock()
		b.errors = append(b.errors, m.String())
		b.mu.Unlock()
	}
}

// take takes the pictures of a scene.
func (b *browser) take(address string, s scene) error {
	base, err := url.Parse(address)
	if err != nil {
		return err
	}
	token := base.Query().Get("token")
	var all []error
	for _, width := range widths {
		for _, scheme := range []string{"light", "dark"} {
			name := fmt.Sprintf("%s-%d-%s", s.name, width, scheme)
			page := *base
			page.Path, page.RawQuery, _ = strings.Cut(s.path, "?")
			page.RawQuery = strings.TrimPrefix(page.RawQuery+"&token="+token, "&")
			target := page.String()
			if base.Scheme == "file" {
				target = address + "#" + s.path
			}
			if err := b.picture(target, name, scheme, width, s); err != nil {
				all = append(all, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return errors.Join(all...)
}

func (b *browser) picture(address, name, scheme string, width int64, s scene) error {
	ctx, cancel := context.WithTimeout(b.ctx, 60*time.Second)
	defer cancel()
	b.mu.Lock()
	b.errors = nil
	b.mu.Unlock()
	height := int64(900)
	if width < 700 {
		height = 844
	}
	media := func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			}})
		return chromedp.Void{}, err
	}
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.EmulateViewport(width, height), media, chromedp.Navigate(address),
		chromedp.WaitVisible(chromedp.CSS(s.wait)),
	}
	steps = append(append(steps, s.do...), chromedp.Sleep(s.rest()))
	if err := chromedp.Do(ctx, steps...); err != nil {
		return errors.Join(fmt.Errorf("waiting for %s: %w", s.wait, err), b.said(), b.keepShot(b.ctx, name))
	}
	beyond, err := chromedp.Run(ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - "+
		"document.documentElement.clientWidth"))
	if err != nil {
		return err
	}
	empty, err := chromedp.Run(ctx, chromedp.Evaluate[int](emptyCanvases))
	if err != nil {
		return err
	}
	if err := b.keepShot(ctx, name); err != nil {
		return err
	}
	var all []error
	if beyond > 0 {
		all = append(all, fmt.Errorf("the page is %d pixels wider than the window", beyond))
	}
	if empty > 0 {
		all = append(all, fmt.Errorf("%d canvases are empty", empty))
	}
	if !s.failing {
		all = append(all, b.said())
	}
	if b.axe != "" {
		all = append(all, b.accessible(ctx))
	}
	return errors.Join(all...)
}

// said returns what the console has.
func (b *browser) said() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []error
	for _, e := range b.errors {
		all = append(all, fmt.Errorf("console: %s", e))
	}
	return errors.Join(all...)
}

// keepShot writes the picture of the whole page.
func (b *browser) keepShot(ctx context.Context, name string) error {
	shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, name+".png"), shot, 0o666)
}

// accessible returns the violations of axe-core that are serious or critical.
func (b *browser) accessible(ctx context.Context) error {
	const run = `axe.run({resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.map((v) =>
		({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 5).map((n) =>
			n.target.join(" ") + ": " + n.failureSummary.split("\n").slice(1, 2).join(""))}))))`
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](b.axe+"\n;0")); err != nil {
		return err
	}
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		return err
	}
	var violations []struct {
		ID, Impact string
		Nodes      []string
	}
	if err := json.Unmarshal([]byte(text), &violations); err != nil {
		return err
	}
	var all []error
	for _, v := range violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			all = append(all, fmt.Errorf("axe: %s (%s)\n\t%s", v.ID, v.Impact, strings.Join(v.Nodes, "\n\t")))
		}
	}
	return errors.Join(all...)
}
