// Downloads of one file by several processes, some of which are killed.

package remote_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

var interleavings = flag.Int("interleavings", 40, "try `N` random orders in which several processes download a file")

// TestMain downloads a file if a test has started the program for that.
func TestMain(m *testing.M) {
	if url := os.Getenv("TEST_DOWNLOAD"); url != "" {
		if err := downloadTo(url, os.Getenv("TEST_DOWNLOAD_TO")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func downloadTo(url, path string) error {
	ctx := context.Background()
	ref, err := store.Parse(url)
	if err != nil {
		return err
	}
	s, err := new(remote.Opener).Open(ctx, ref)
	if err != nil {
		return err
	}
	o, err := s.Open(ctx, "model")
	if err != nil {
		return err
	}
	_, err = (&remote.Download{Overwrite: os.Getenv("TEST_OVERWRITE") != ""}).Run(ctx, o, path)
	return err
}

// A counting server calls the function that is due when it has sent so many bytes.
type countingServer struct {
	http.Handler
	mu   sync.Mutex
	sent int64
	due  map[int64]func() // by the number of bytes
}

func (s *countingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Handler.ServeHTTP(&countingWriter{w, s}, r)
}

type countingWriter struct {
	http.ResponseWriter
	*countingServer
}

func (w *countingWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = w.ResponseWriter.Write(p[n:min(n+16<<10, len(p))])
		n += m
		w.mu.Lock()
		w.sent += int64(m)
		for at, f := range w.due {
			if w.sent >= at {
				delete(w.due, at)
				go f()
			}
		}
		w.mu.Unlock()
	}
	return n, err
}

// TestInterleavings starts processes that download one file to one folder, and kills some of them,
// at random numbers of bytes. Whenever a process ends, the file is complete or does not exist. In the
// end it exists, and nothing keeps Clean from removing hidden files.
func TestInterleavings(t *testing.T) {
	n := *interleavings
	if testing.Short() {
		n = min(n, 20)
	}
	const size = 5<<20 + 123
	content := pattern(size)
	tag := `"v1"`
	var handler atomic.Pointer[http.Handler]
	server := &countingServer{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) })}
	url := serve(t, server)
	plain := func(w http.ResponseWriter, r *http.Request, b []byte) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}
	bad := 0
	for i := range n {
		answer := []func(http.ResponseWriter, *http.Request, []byte){versioned(&tag), versioned(&tag), ranged, plain}[rand.IntN(4)]
		h := objects(map[string][]byte{"model": content}, answer)
		handler.Store(&h)
		if !interleave(t, server, url, content) {
			bad++
			t.Logf("interleaving %d is wrong", i)
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d are wrong", bad, n)
	}
}

// An interleaving is a group of processes that download one file.
type interleaving struct {
	t         *testing.T
	server    *countingServer
	url, path string

	mu   sync.Mutex
	all  []process
	over bool // no more are started
}

type process struct {
	*exec.Cmd
	ended chan struct{}
}

// start starts a process, half of which may overwrite the file.
func (il *interleaving) start() *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "TEST_DOWNLOAD="+il.url, "TEST_DOWNLOAD_TO="+il.path)
	if rand.IntN(2) == 0 {
		c.Env = append(c.Env, "TEST_OVERWRITE=1")
	}
	if err := c.Start(); err != nil {
		il.t.Error(err)
	}
	return c
}

// run starts one of the processes, and kills it after the server has sent so many bytes more, if that is not 0.
func (il *interleaving) run(kill int64) {
	il.mu.Lock()
	defer il.mu.Unlock()
	if il.over {
		return
	}
	c := process{il.start(), make(chan struct{})}
	il.all = append(il.all, c)
	go func() {
		c.Wait()
		close(c.ended)
	}()
	if kill > 0 {
		il.server.mu.Lock()
		il.server.due[il.server.sent+kill] = func() { c.Process.Kill() }
		il.server.mu.Unlock()
	}
}

// wait waits for process i, and returns nil if there is none.
func (il *interleaving) wait(i int) *process {
	il.mu.Lock()
	if il.over = i == len(il.all); il.over {
		il.mu.Unlock()
		return nil
	}
	c := il.all[i]
	il.mu.Unlock()
	<-c.ended
	return &c
}

// interleave runs up to four processes, and reports whether the result is right.
func interleave(t *testing.T, server *countingServer, url string, content []byte) bool {
	dir, err := os.MkdirTemp("", "interleave")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	il := &interleaving{t: t, server: server, url: url, path: filepath.Join(dir, "model")}
	sometimes := func() int64 { return rand.Int64N(2) * (1 + rand.Int64N(int64(len(content)))) }
	server.mu.Lock()
	server.due = make(map[int64]func())
	for range 1 + rand.IntN(3) {
		server.due[server.sent+1+rand.Int64N(int64(len(content)))] = func() { il.run(sometimes()) }
	}
	server.mu.Unlock()
	il.run(sometimes())
	there, right := false, true
	look := func(isDone bool) {
		got, err := os.ReadFile(il.path)
		there = err == nil
		right = right && (there || !isDone) && (!there || sum(got) == sum(content))
	}
	for i := 0; ; i++ {
		c := il.wait(i)
		if c == nil {
			break
		}
		look(c.ProcessState.Success())
	}
	if !there {
		look(il.start().Wait() == nil)
	}
	remote.Clean(il.path)
	left, err := os.ReadDir(dir)
	if there && right && err == nil && len(left) == 1 {
		return true
	}
	t.Logf("the file is there: %v, and always was right: %v; the folder has %v, %v", there, right, left, err)
	return false
}

// TestKilledOnASlowLink kills a download while the server is silent in the middle of a block. What
// came before is kept.
func TestKilledOnASlowLink(t *testing.T) {
	content, tag := pattern(5<<20), `"v1"`
	const sent = 2<<20 + 300_000
	killed := make(chan struct{})
	url := serve(t, objects(map[string][]byte{"model": content}, func(w http.ResponseWriter, r *http.Request, b []byte) {
		select {
		case <-killed:
		default:
			w = &stalling{w, sent, r.Context().Done()}
		}
		versioned(&tag)(w, r, b)
	}))
	path := filepath.Join(t.TempDir(), "model")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "TEST_DOWNLOAD="+url, "TEST_DOWNLOAD_TO="+path)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	o, err := open(t, new(remote.Opener), url).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	for remote.Kept(o, path) < sent && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	c.Process.Kill()
	c.Wait()
	close(killed)
	if got, err := new(remote.Download).Run(t.Context(), o, path); err != nil || got.Resumed < sent {
		t.Errorf("%+v, %v", got, err)
	}
	isFile(t, path, content)
}

// A stalling writer sends so many bytes of a body, and then waits until done.
type stalling struct {
	http.ResponseWriter
	left int
	done <-chan struct{}
}

func (w *stalling) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	w.left -= n
	if w.left == 0 {
		w.ResponseWriter.(http.Flusher).Flush()
		<-w.done
	}
	return n, err
}
