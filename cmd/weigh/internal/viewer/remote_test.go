package viewer_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
)

// A remote tensor is shown within a budget of bytes, and looks as the local one does.
func TestRemote(t *testing.T) {
	values := make([]float32, 4096*4096)
	for i := range values {
		values[i] = float32(i%1000) - 500
	}
	one, err := safetensors.NewTensor("big", values, 4096, 4096)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "x.safetensors")
	if err := safetensors.WriteFile(file, one); err != nil {
		t.Fatal(err)
	}
	var requests, sent atomic.Int64
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		files.ServeHTTP(&counter{w, &sent}, r)
	}))
	t.Cleanup(server.Close)
	local, remote := open(t, file), open(t, server.URL+"/x.safetensors")
	if sent.Load() > 1<<20 {
		t.Errorf("%d bytes for the header", sent.Load())
	}
	begin, first := sent.Load(), requests.Load()
	w := get(t, remote, "/api/tile?id=0&level=4")
	if w.Code != 200 || w.Header().Get("Weigh-Sampled") == "" {
		t.Fatal(w.Code, w.Header(), w.Body)
	}
	if n := sent.Load() - begin; n > 8<<20+1<<20 {
		t.Errorf("a picture of 64 MiB read %d bytes", n)
	}
	if n, _ := strconv.ParseInt(w.Header().Get("Weigh-Bytes"), 10, 64); n > 8<<20 {
		t.Errorf("the page says that it cost %d bytes", n)
	}
	t.Logf("%d requests, %d bytes", requests.Load()-first, sent.Load()-begin)
	begin, first = sent.Load(), requests.Load()
	a, b := get(t, local, "/api/tile?id=0&x=3&y=2"), get(t, remote, "/api/tile?id=0&x=3&y=2")
	if !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) || b.Header().Get("Weigh-Sampled") != "" {
		t.Error("the tile differs from the local one")
	}
	if n := requests.Load() - first; n > 20 {
		t.Errorf("%d requests for a tile", n)
	}
	if n := sent.Load() - begin; n > 5<<20 {
		t.Errorf("%d bytes for a tile", n)
	}
	for _, path := range []string{"/api/plane?id=0", "/api/norms?id=0", "/api/tile?id=0&level=3&mode=mean&x=1",
		"/api/tile?id=0&level=2&mode=sample"} {
		begin = sent.Load()
		if w := get(t, remote, path); w.Code != 200 {
			t.Error(path, w.Code, w.Body)
		}
		if n := sent.Load() - begin; n > 8<<20+1<<20 {
			t.Errorf("%s read %d bytes", path, n)
		}
	}
	if cost := ask(t, remote, "/api/cost"); cost["requests"] == nil {
		t.Errorf("cost: %v", cost)
	}
}

// A counter counts the bytes of a body.
type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}
