// The memory on the disk: the starts of objects, so that a second look costs little.

package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A disk is a folder of such starts. What goes wrong with it is never an error: it is
// then as if there were none. A nil disk keeps nothing. The files are for their owner
// alone, since weights may be private.
type disk struct {
	dir   string
	limit int64 // of all files, in bytes

	mu    sync.Mutex
	added int64 // bytes since the folder was last tidied; -1 before the first time
}

// maxKept is how much of one object is kept, in bytes: more than almost every header.
const maxKept = 16 << 20

// An entry is what is kept of one object. In its file the JSON of the fields is one
// line, and the data follows.
type entry struct {
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
	Size     int64  `json:"size"`
	Plain    bool   `json:"plain,omitempty"` // the server knows no ranges
	Len      int64  `json:"len"`             // of data
	data     []byte
}

// file returns the name of the file for a URL. It has no part of the URL, which may be
// secret, in it.
func (d *disk) file(u *url.URL) string {
	digest := sha256.Sum256([]byte(u.String()))
	return filepath.Join(d.dir, hex.EncodeToString(digest[:]))
}

// load returns what is kept of the object at u, or nil.
func (d *disk) load(u *url.URL) *entry {
	if d == nil {
		return nil
	}
	file := d.file(u)
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReader(f)
	line, err := r.ReadSlice('\n')
	e := new(entry)
	if err != nil || json.Unmarshal(line, e) != nil || e.Len < 0 || e.Len > min(e.Size, maxKept) {
		return nil
	}
	if e.data, err = io.ReadAll(io.LimitReader(r, e.Len+1)); err != nil || int64(len(e.data)) != e.Len {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // what was used last goes last
	return e
}

// store keeps e as what is known of u.
func (d *disk) store(u *url.URL, e *entry) {
	if d == nil || e.Len > maxKept {
		return
	}
	line, err := json.Marshal(e)
	if err != nil || len(line) > 4000 || os.MkdirAll(d.dir, 0o700) != nil {
		return // the line has to fit bufio's buffer
	}
	f, err := os.CreateTemp(d.dir, ".tmp-*") // of mode 0600
	if err != nil {
		return
	}
	_, err = io.Copy(f, io.MultiReader(bytes.NewReader(line), bytes.NewReader([]byte{'\n'}), bytes.NewReader(e.data)))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), d.file(u))
	}
	if err != nil {
		os.Remove(f.Name())
		return
	}
	d.grown(e.Len)
}

// grown takes note of bytes that were added, and tidies up when they are many, and when
// they are the first.
func (d *disk) grown(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := d.added < 0
	d.added = max(d.added, 0) + n
	if first || d.added > d.limit/8 {
		d.added = 0
		d.tidy()
	}
}

// tidy removes the files that were used least recently, and what a process that was
// killed has left.
func (d *disk) tidy() {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	var sum int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			sum += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, f := range files {
		left := f.Name()[0] == '.' && time.Since(f.ModTime()) > time.Hour
		if sum > d.limit || left {
			os.Remove(filepath.Join(d.dir, f.Name()))
			sum -= f.Size()
		}
	}
}

// take takes over what the disk has of a content.
func (o *content) take(e *entry) {
	o.size, o.etag, o.modified, o.sha256 = e.Size, e.ETag, e.Modified, e.SHA256
	o.plain.Store(e.Plain)
	o.saved = e.Len
	o.cache.put(&o.spans, e.data)
}

// save keeps the start of a content, if there is more of it than is kept, and if there
// will be a way to tell whether it still holds.
func (d *disk) save(o *content) {
	if d == nil || o.offline || o.etag == "" && o.modified == "" && !o.source.lasting {
		return
	}
	data := o.cache.start(&o.spans, maxKept)
	if n := int64(len(data)); n > o.saved {
		d.store(o.source.url, &entry{o.etag, o.modified, o.sha256, o.size, o.plain.Load(), n, data})
		o.saved = n
	}
}
