// What is left running when all is closed: nothing.

package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/weightools/safetensors/remote"
)

// TestNothingIsLeftRunning reads from servers of all kinds, well and badly, whole and in
// part, gives up in the middle, and closes what it has opened.
func TestNothingIsLeftRunning(t *testing.T) {
	const length = 3 << 20
	content := pattern(length)
	plain := func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, []byte){
		"ranges":     ranged,
		"none":       plain,
		"breaks off": func(w http.ResponseWriter, r *http.Request, b []byte) { ranged(&torn{w, 100_000}, r, b) },
		"silent":     func(w http.ResponseWriter, r *http.Request, b []byte) { <-r.Context().Done() },
		"refuses":    func(w http.ResponseWriter, r *http.Request, b []byte) { w.WriteHeader(http.StatusForbidden) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, objects(map[string][]byte{"model": content}, answer), func(t *testing.T, b *bubble) {
				useAndClose(t, b, filepath.Join(dir, "model"), length)
				b.Transport.(*http.Transport).CloseIdleConnections()
				synctest.Wait()
				if left := running(); len(left) > 0 {
					t.Errorf("%d goroutines are left, the first of which is\n%s", len(left), left[0])
				}
			})
		})
	}
}

// useAndClose reads an object in each way that there is. That some reads fail is as it
// should be.
func useAndClose(t *testing.T, b *bubble, path string, length int64) {
	b.Retries = -1
	o, err := open(t, &b.Opener, "http://weights.example/").Open(t.Context(), "model")
	if err != nil {
		return
	}
	defer o.Close()
	r := o.ReaderAt(t.Context())
	r.ReadAt(make([]byte, 100), 0)
	r.ReadAt(make([]byte, 100), length/2)
	r.ReadAt(make([]byte, length/2), 100)
	ctx, cancel := context.WithCancel(t.Context())
	d := remote.Download{Progress: func(n, _ int64) {
		if n > 0 {
			cancel()
		}
	}}
	d.Run(ctx, o, path)
	cancel()
	o.ReaderAt(ctx).ReadAt(make([]byte, 100), length-100)
	go new(remote.Download).Run(t.Context(), o, path) // closed while it runs, or before
}

// running returns the stacks of goroutines in which there is something of package remote,
// or a connection of a client.
func running() (left []string) {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		ours := strings.Contains(stack, "safetensors/remote.") || strings.Contains(stack, "safetensors/remote/internal/") || strings.Contains(stack, "net/http.(*persistConn)")
		if ours && strings.Contains(stack, "synctest bubble") && !strings.Contains(stack, "remote_test.running") {
			left = append(left, stack)
		}
	}
	return left
}
