// Servers for scripts: the files under testdata/ on the web, and as repositories.

package main

import (
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weightools/safetensors/remote/remotetest"
)

// sampleCommit is the commit of the repository org/sample.
const sampleCommit = "5a3e1e0000000000000000000000000000000001"

// serveScripts starts servers for one script: $WEB has the files under testdata/, $PLAIN
// has them without ranges, $MOODY as long as a connection holds, $OWN has those of the
// script, and $HF_ENDPOINT is a Hub with the repositories org/sample,
// org/gated and org/empty. It redirects to a host of its own for large files.
func serveScripts(env *testscript.Env, testdata string) error {
	sample, err := filesOf(filepath.Join(testdata, "sample"))
	if err != nil {
		return err
	}
	hub := &remotetest.Hub{Token: "hf_good", Large: 2000, Repos: map[string]*remotetest.Repo{
		"org/sample": {Commit: sampleCommit, Files: sample},
		"org/gated":  {Commit: sampleCommit, Files: sample, Gated: true},
		"org/empty":  {Commit: sampleCommit, Files: map[string][]byte{"README.md": []byte("nothing")}},
	}}
	cdn := httptest.NewServer(hub)
	env.Defer(cdn.Close)
	hub.CDN = cdn.URL
	files := http.FileServer(http.Dir(testdata))
	var moody atomic.Int64
	for name, h := range map[string]http.Handler{
		"WEB": files,
		"PLAIN": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			files.ServeHTTP(w, r)
		}),
		// Every body breaks off, and each time 30,000 bytes later.
		"MOODY": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			files.ServeHTTP(&breaking{w, 30_000 * int(moody.Add(1))}, r)
		}),
		"HF_ENDPOINT": hub,
		// What a script has in its own folder.
		"OWN": http.FileServer(http.Dir(env.WorkDir)),
	} {
		s := httptest.NewServer(h)
		env.Defer(s.Close)
		env.Setenv(name, s.URL)
	}
	env.Setenv("WEIGH_CACHE", "off")
	return serveRaw(env, sample["model-00001-of-00002.safetensors"])
}

// serveRaw starts a server of one file in $RAW that answers as the first folder of the path
// says.
func serveRaw(env *testscript.Env, content []byte) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	env.Defer(func() { l.Close() })
	env.Setenv("RAW", "http://"+l.Addr().String())
	// Artifact servers redirect to a store of objects when they know who asks.
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user+password != "mesecret" && r.Header.Get("Private-Token") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, env.Getenv("RAW")+"/watch/model.safetensors?signature=SIGNED", http.StatusFound)
	}))
	env.Defer(locked.Close)
	env.Setenv("LOCKED", locked.URL)
	go (&remotetest.Raw{Answer: func(n int, r *http.Request) *remotetest.Reply {
		a := remotetest.RangeOf(r, content)
		a.Header.Set("ETag", `"v1"`)
		switch how, _, _ := strings.Cut(r.URL.Path[1:], "/"); how {
		case "surplus":
			a.Extra = []byte("EVIL")
		case "silent":
			a.Body = nil
		case "watch":
			if r.Header.Get("Private-Token") != "" || r.Header.Get("Authorization") != "" {
				a.Status = http.StatusBadRequest
			}
		case "named":
			a.Header.Set("Content-Disposition", `attachment; filename="../llama.safetensors"`)
		case "bare":
			a.Header.Del("ETag")
		}
		return a
	}}).Serve(l)
	return nil
}

// A breaking answer ends after so many bytes.
type breaking struct {
	http.ResponseWriter
	left int
}

func (w *breaking) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	w.ResponseWriter.Write(p[:w.left])
	w.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// filesOf returns the files of a folder, by their paths.
func filesOf(dir string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		files[path], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		return err
	})
	return files, err
}
