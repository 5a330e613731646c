// Listing a repository, page by page.

package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/hubcache"
	"github.com/weightools/safetensors/store"
)

// maxPages is the maximum number of pages of a listing: a million files.
const maxPages = 1000

// A file is an entry of a listing.
type file struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // of a large file
	OID    string `json:"oid"`              // the Git ID of what the repository has: a large file has a pointer there
}

// blob returns the digest of the file: the SHA-256 of a large one, and otherwise the Git ID.
func (f file) blob() string { return cmp.Or(f.SHA256, f.OID) }

// A lister lists a repository.
type lister struct {
	objects
	probed map[string]bool // the paths of indexes that were requested; guarded by mu
	partly sync.Once       // the notice that a listing is that of the local cache
}

// indexName is the name of the index of a sharded model.
const indexName = "model.safetensors.index.json"

// maxIndex is the maximum size of an index that comes with one request, in bytes: that of the largest.
const maxIndex = 16 << 20

// List implements [store.Lister].
func (h *lister) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if folder != "" {
			if err := store.CheckName(folder); err != nil {
				yield(store.Entry{}, err)
				return
			}
		}
		commit, err := h.commitFor(ctx, folder)
		if err != nil {
			yield(store.Entry{}, fmt.Errorf("listing %s: %w", h.ref, err))
			return
		}
		// The local cache may have a part of the repository, so that what it lacks may exist.
		if h.offline.Load() && h.saved(commit, folder) == nil {
			if local := h.local.Snapshot(commit); local != nil {
				h.partly.Do(func() { h.tellPartial(commit) })
				local.List(ctx, folder)(yield)
				return
			}
		}
		h.pool.List(ctx, folder, h.entries(ctx, commit, folder))(yield)
	}
}

// tellPartial notifies the user if the local cache lacks files of the commit, or may lack some.
func (h *lister) tellPartial(commit string) {
	note, known := h.local.Partial(commit)
	switch {
	case note != "":
		h.shared.Notice(fmt.Sprintf("%s: %s", h.ref, note))
	case !known:
		h.shared.Notice(fmt.Sprintf("offline: only the files of %s in the local cache are listed; the repository may "+
			"have more", h.ref))
	}
}

// isCold reports whether the answer to the first request has to say what the commit is. If files may be cached,
// the commit is needed before that. The caller has the turn.
func (h *lister) isCold() bool {
	return !h.settled() && !h.local.Exists() && !h.offline.Load() && h.savedCommit() == ""
}

// commitFor returns the commit for a listing of a folder. Readers of a model need its index next, and the answer
// to a request for that has the commit, even if there is no index.
func (h *lister) commitFor(ctx context.Context, folder string) (string, error) {
	if err := h.turn.Take(ctx); err != nil {
		return "", err
	}
	defer h.turn.Leave()
	if h.isCold() {
		err := h.openIndex(ctx, folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", err
		}
	}
	return h.pinInTurn(ctx)
}

// openIndex opens the index in the folder of a model, so that opening it again needs no request.
func (h *lister) openIndex(ctx context.Context, folder string) error {
	name := path.Join(folder, indexName)
	h.mu.Lock()
	was := h.probed[name]
	if h.probed == nil {
		h.probed = make(map[string]bool)
	}
	h.probed[name] = true
	h.mu.Unlock()
	if was || h.kind != "models" {
		return nil
	}
	o := h.local.Open(ctx, h.pinned(), name)
	if o == nil {
		var err error
		if o, err = h.fromServer(ctx, name, maxIndex); err != nil {
			return err
		}
	}
	return o.Close()
}

// entries yields the files of a folder, by an earlier run or by the server.
func (h *lister) entries(ctx context.Context, commit, folder string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		files := h.saved(commit, folder)
		if files != nil {
			h.shared.Hit()
		} else {
			var err error
			if files, err = h.request(ctx, commit, folder); err != nil {
				yield(store.Entry{}, fmt.Errorf("listing %s: %w", h.ref, err))
				return
			}
		}
		h.keepListed(files)
		for _, f := range files {
			if ctx.Err() != nil {
				yield(store.Entry{}, fmt.Errorf("listing %s: %w", h.ref, context.Cause(ctx)))
				return
			}
			if !yield(store.Entry{Name: f.Path, Size: f.Size}, store.CheckName(f.Path)) {
				return
			}
		}
	}
}

// errNoFolder is the error for a folder that does not exist. Stores treat it as empty.
var errNoFolder = errors.New("no such folder")

// request requests the files of a folder, in order.
func (h *lister) request(ctx context.Context, commit, folder string) ([]file, error) {
	if h.offline.Load() {
		return nil, fmt.Errorf("%s: %w; the Hub's local cache does not have it either", h.ref, fetch.ErrOffline)
	}
	u := h.tree(commit, folder)
	var index sync.WaitGroup
	index.Go(func() { _ = h.openIndex(ctx, folder) }) // whoever needs it gets the error
	files, err := h.pages(ctx, u, folder)
	index.Wait()
	if err != nil && !errors.Is(err, errNoFolder) {
		return nil, err
	}
	if data, failed := json.Marshal(files); err == nil && failed == nil && hubcache.IsCommit(commit) {
		h.shared.Save(u, data)
	}
	return files, nil
}

// tree returns the URL of the first page of a listing.
func (h *lister) tree(commit, folder string) *url.URL {
	after := ""
	if folder != "" {
		after = "/" + folder
	}
	u := h.url("api/"+h.kind+"/"+h.name()+"/tree/", commit, after)
	u.RawQuery = "recursive=true"
	return u
}

// saved returns the listing of an earlier run, or nil.
func (h *lister) saved(commit, folder string) []file {
	data := h.shared.Saved(h.tree(commit, folder))
	if data == nil || !hubcache.IsCommit(commit) {
		return nil
	}
	var files []file
	if json.Unmarshal(data, &files) != nil || len(files) > 0 && files[0].OID == "" {
		return nil // the second is of an earlier version of this program
	}
	return append([]file{}, files...)
}

// keepListed keeps the digests of files, which a mirror may not send with them.
func (h *lister) keepListed(files []file) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listed == nil {
		h.listed = make(map[string]file)
	}
	for _, f := range files {
		h.listed[f.Path] = f
	}
}

// pages fetches all pages of a listing and sorts the files by path. The Hub sends them in the
// order of Git's trees.
func (h *lister) pages(ctx context.Context, u *url.URL, folder string) ([]file, error) {
	var files []file
	for n := 0; u != nil; n++ {
		if n == maxPages {
			return nil, fmt.Errorf("more than %d pages: name a folder of the repository", maxPages)
		}
		var page []struct {
			Type string `json:"type"`
			Path string `json:"path"`
			Size int64  `json:"size"`
			OID  string `json:"oid"`
			LFS  *struct {
				OID  string `json:"oid"`
				Size int64  `json:"size"`
			} `json:"lfs"`
		}
		header, err := h.document(ctx, u, &page)
		if folder != "" && errors.Is(err, fs.ErrNotExist) {
			return nil, errNoFolder
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			f := file{Path: e.Path, Size: e.Size, OID: e.OID}
			if e.LFS != nil {
				f.Size = e.LFS.Size
				if hubcache.IsSHA256(e.LFS.OID) {
					f.SHA256 = e.LFS.OID
				}
			}
			// If the folder is in fact a file, the Hub lists the file.
			if e.Type == "file" && (folder == "" || strings.HasPrefix(e.Path, folder+"/")) {
				files = append(files, f)
			}
		}
		if u, err = h.nextPage(u, header); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// nextPage returns the URL of the page after u, or nil after the last one. It must be on the
// endpoint, because the request carries the token.
func (h *lister) nextPage(u *url.URL, header http.Header) (*url.URL, error) {
	for _, field := range header.Values("Link") {
		for link := range strings.SplitSeq(field, ",") {
			target, rel, _ := strings.Cut(link, ";")
			if !strings.Contains(rel, `rel="next"`) {
				continue
			}
			next, err := u.Parse(strings.Trim(strings.TrimSpace(target), "<>"))
			if err != nil || !h.isEndpoint(next) {
				return nil, &fetch.Error{Method: http.MethodGet, URL: fetch.Shown(u),
					Err: errors.New("the next page of the listing is on another server")}
			}
			return next, nil
		}
	}
	return nil, nil
}
