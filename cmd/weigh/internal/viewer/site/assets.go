// The files of the page.

package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// An asset is a file of the page in the form in which it is sent.
type asset struct {
	kind, tag     string
	plain, packed []byte
}

// Assets are the files of the page by their names.
type Assets map[string]*asset

// NewAssets reads the files of the page.
func NewAssets(files fs.FS) (Assets, error) {
	assets := make(Assets)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
		if _, err := w.Write(text); err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		assets[name] = &asset{kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: text}
		if w.Close() == nil && packed.Len() < len(text) {
			assets[name].packed = packed.Bytes()
		}
		return nil
	})
	return assets, err
}

// kindOf returns the media type of a file. The system's table may be incomplete.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// ServeHTTP answers with a file of the page. Paths without an extension are addresses within the page, which reads them
// itself.
func (s Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/"), "assets/")
	if path.Ext(name) == "" {
		name = "index.html"
	}
	a := s[name]
	if a == nil {
		reply.Fail(w, http.StatusNotFound, "no file "+reply.Quoted(r.URL.Path))
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	// A page that is not stored ends its requests when it is left, instead of being kept for Back.
	if name != "index.html" {
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	text := a.plain
	switch {
	case r.Header.Get("If-None-Match") == a.tag:
		w.WriteHeader(http.StatusNotModified)
		return
	case a.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"):
		h.Set("Content-Encoding", "gzip")
		text = a.packed
	}
	_, _ = w.Write(text)
}
