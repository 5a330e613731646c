// The on-disk cache: the starts of objects, which hold their headers, and small documents.

package fetch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/weightools/safetensors/store"
)

// A disk is a cache folder. Its errors are ignored: an entry that cannot be read or written
// is treated as missing. A nil disk keeps nothing. Only the owner can read the files, because
// weights may be private.
type disk struct {
	dir   string
	limit int64 // of all files, in bytes

	mu    sync.Mutex
	added int64 // bytes since the folder was last cleaned; -1 before the first time
}

// maxKept is the maximum size of one entry, in bytes. Almost all headers are smaller.
const maxKept = 16 << 20

// An entry is what is kept of one object. Its file consists of the fields as one line of
// JSON, and then the data.
type entry struct {
	ETag     string     `json:"etag,omitempty"`
	Modified string     `json:"modified,omitempty"`
	HTML     bool       `json:"html,omitempty"`
	Unsized  bool       `json:"unsized,omitempty"`
	SHA256   string     `json:"sha256,omitempty"`
	Sum      *store.Sum `json:"sum,omitempty"`
	Name     string     `json:"name,omitempty"`
	Size     int64      `json:"size"`
	Plain    bool       `json:"plain,omitempty"`  // the server does not support ranges
	Len      int64      `json:"len"`              // of data
	Digest   string     `json:"digest,omitempty"` // of the URL, the other fields and data
	data     []byte
}

// digest returns what Digest has to be for an entry of u. It finds entries that the disk or
// another program has damaged.
func (e *entry) digest(u *url.URL) string {
	bare := *e
	bare.Digest = ""
	line, err := json.Marshal(bare)
	if err != nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q\n%s\n", u.String(), line)
	h.Write(e.data)
	return hex.EncodeToString(h.Sum(nil))
}

// file returns the name of the file for a URL. It is a digest, because the URL may be secret.
func (d *disk) file(u *url.URL) string {
	digest := sha256.Sum256([]byte(u.String()))
	return filepath.Join(d.dir, hex.EncodeToString(digest[:]))
}

// load returns the entry for u, or nil.
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
	if e.data, err = io.ReadAll(io.LimitReader(r, e.Len+1)); err != nil || int64(len(e.data)) != e.Len ||
		e.Digest == "" || e.Digest != e.digest(u) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // clean removes the oldest files first
	return e
}

// store keeps e as the entry for u.
func (d *disk) store(u *url.URL, e *entry) {
	if d == nil || e.Len > maxKept {
		return
	}
	e.Digest = e.digest(u)
	line, err := json.Marshal(e)
	if err != nil || len(line) > 4000 || os.MkdirAll(d.dir, 0o700) != nil {
		return // the line must fit into bufio's buffer
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

// grown counts bytes that were added. It cleans the folder after the first addition, and
// then whenever many have accumulated.
func (d *disk) grown(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := d.added < 0
	d.added = max(d.added, 0) + n
	if first || d.added > d.limit/8 {
		d.added = 0
		d.clean()
	}
}

// clean removes the least recently used files until the rest is within the limit, and
// temporary files of processes that were killed.
func (d *disk) clean() {
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
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return a.ModTime().Compare(b.ModTime())
	})
	for _, f := range files {
		left := f.Name()[0] == '.' && time.Since(f.ModTime()) > time.Hour
		if sum > d.limit || left {
			os.Remove(filepath.Join(d.dir, f.Name()))
			sum -= f.Size()
		}
	}
}

// take initializes a content from an entry.
func (o *content) take(e *entry) {
	o.size, o.version = e.Size, version{etag: e.ETag, modified: e.Modified, html: e.HTML, unsized: e.Unsized}
	o.facts.SHA256, o.facts.Name, o.sum.known = e.SHA256, e.Name, e.Sum
	o.plain.Store(e.Plain)
	o.saved = e.Len
	o.cache.put(&o.spans, e.data)
}

// save keeps the start of a content on disk, if more of it is cached than was saved before,
// and if a later run can tell whether it is still valid.
func (o *content) save() {
	if o.disk == nil || o.offline || o.version.etag == "" && o.version.modified == "" && !o.source.Lasting {
		return
	}
	data := o.cache.start(&o.spans, maxKept)
	if n := int64(len(data)); n > o.saved {
		v := o.version
		o.disk.store(o.source.URL, &entry{ETag: v.etag, Modified: v.modified, HTML: v.html, Unsized: v.unsized,
			SHA256: o.facts.SHA256, Sum: o.sum.get(), Name: o.facts.Name, Size: o.size, Plain: o.plain.Load(), Len: n,
			data: data})
		o.saved = n
	}
}
