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
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// maxPages is the maximum number of pages of a listing: a million files.
const maxPages = 1000

// A file is an entry of a listing.
type file struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
}

// A lister lists a repository.
type lister struct {
	pin
	listed map[string][]file // by folder, each in the order of paths; guarded by mu
}

// List implements [store.Lister].
func (h *lister) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if folder != "" {
			if err := store.CheckName(folder); err != nil {
				yield(store.Entry{}, err)
				return
			}
		}
		files, local, err := h.tree(ctx, folder)
		if local != nil {
			local.List(ctx, folder)(yield)
			return
		}
		if err != nil && !errors.Is(err, errNoFolder) {
			yield(store.Entry{}, fmt.Errorf("listing %s: %w", h.ref, err))
			return
		}
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

// tree returns the files of a folder in order, or a local store that has them.
func (h *lister) tree(ctx context.Context, folder string) ([]file, store.Lister, error) {
	if err := h.wait(ctx); err != nil {
		return nil, nil, err
	}
	commit, err := h.pinInTurn(ctx)
	h.leave()
	if err != nil {
		return nil, nil, err
	}
	after := ""
	if folder != "" {
		after = "/" + folder
	}
	u := h.url("api/"+h.kind+"/"+h.repo+"/tree/", commit, after)
	u.RawQuery = "recursive=true"
	if files, ok := h.listing(folder); ok {
		h.shared.Hit()
		return files, nil, nil
	}
	if saved := h.shared.Saved(u); saved != nil && isCommit(commit) {
		var files []file
		if json.Unmarshal(saved, &files) == nil {
			h.shared.Hit()
			h.remember(folder, files)
			return files, nil, nil
		}
	}
	if h.offline.Load() {
		if s := h.local.snapshot(commit); s != nil {
			return nil, s, nil
		}
		return nil, nil, fmt.Errorf("%s: %w; the Hub's local cache does not have it either", h.ref, fetch.ErrOffline)
	}
	files, err := h.pages(ctx, u, folder)
	if err != nil {
		return nil, nil, err
	}
	if data, err := json.Marshal(files); err == nil && isCommit(commit) {
		h.shared.Save(u, data)
	}
	h.remember(folder, files)
	return files, nil, nil
}

// remember keeps the listing of a folder, because callers list a repository more than once
// and listings contain the digests of files.
func (h *lister) remember(folder string, files []file) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listed == nil {
		h.listed = make(map[string][]file)
	}
	h.listed[folder] = files
}

// listing returns the files of a folder, if the folder or the repository was listed before.
func (h *lister) listing(folder string) ([]file, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if files, ok := h.listed[folder]; ok {
		return files, true
	}
	all, ok := h.listed[""]
	if !ok {
		return nil, false
	}
	// "0" is the character after the slash.
	return all[searchPath(all, folder+"/"):searchPath(all, folder+"0")], true
}

// searchPath returns the index of the first file whose path is not less than path.
func searchPath(files []file, path string) int {
	i, _ := slices.BinarySearchFunc(files, path, func(f file, path string) int { return cmp.Compare(f.Path, path) })
	return i
}

// listedDigest returns the digest of a file from earlier listings, or "". The caller holds
// the lock.
func (h *lister) listedDigest(name string) string {
	for _, files := range h.listed {
		if i := searchPath(files, name); i < len(files) && files[i].Path == name {
			return files[i].SHA256
		}
	}
	return ""
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
			f := file{Path: e.Path, Size: e.Size}
			if e.LFS != nil {
				f.Size = e.LFS.Size
				if isHex(e.LFS.OID, 64) {
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
