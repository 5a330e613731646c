// Remembering which version of an object a file has.

package remote

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A memory is what is kept about a file that was downloaded.
type memory struct {
	Version string    `json:"version"`
	Size    int64     `json:"size"`
	Changed time.Time `json:"changed"` // the file
}

// Remember keeps in CacheDir that the file at path has the bytes of o. Errors are ignored.
func (o *Opener) Remember(object store.Object, path string) {
	at, info := placeOf(path)
	version := versionOf(object)
	if info == nil || version == "" {
		return
	}
	if text, err := json.Marshal(memory{version, info.Size(), info.ModTime()}); err == nil {
		o.shared().Save(at, text)
	}
}

// Remembers reports whether the file at path has the bytes of this version of an object. The
// answer is known after a call of [Opener.Remember], unless the file has been changed since. A
// file that is older than the object is known to have other bytes.
func (o *Opener) Remembers(object store.Object, path string) (same, known bool) {
	at, info := placeOf(path)
	if info == nil || info.Size() != object.Size() {
		return false, info != nil
	}
	var m memory
	now := versionOf(object)
	if text := o.shared().Saved(at); text != nil && json.Unmarshal(text, &m) == nil && m.Size == info.Size() &&
		m.Changed.Equal(info.ModTime()) && now != "" {
		// Versions with a weak ETag may be equal although bytes differ.
		return m.Version == now, m.Version != now || store.Version(object) != ""
	}
	return false, fetch.Date(object).After(info.ModTime())
}

// placeOf returns the URL of a file and what is known about it, or nil.
func placeOf(path string) (*url.URL, os.FileInfo) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil
	}
	return &url.URL{Scheme: "file", Path: filepath.ToSlash(path)}, info
}

// versionOf returns all that identifies the version of an object.
func versionOf(o store.Object) string {
	if v := fetch.Validators(o); v != "" {
		return v
	}
	return store.Version(o)
}
