// Listing a repository, page by page.

package remote

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

	"github.com/weightools/safetensors/store"
)

// maxDocument is the size in bytes of the largest answer of an API, and maxPages the
// number of those that follow one another: a million files.
const (
	maxDocument = 64 << 20
	maxPages    = 1000
)

// List lists the files of the revision: see [store.Lister].
func (h *hub) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
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

// errNoFolder is that of a folder that is not there, which to a store is one that holds
// nothing.
var errNoFolder = errors.New("there is no such folder")

// tree returns the files of a folder, in order, or the store on this machine that has
// them.
func (h *hub) tree(ctx context.Context, folder string) ([]file, store.Lister, error) {
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
		h.parts.client.meter.hit()
		return files, nil, nil
	}
	if kept := h.parts.disk.load(u); kept != nil && isCommit(commit) {
		var files []file
		if json.Unmarshal(kept.data, &files) == nil {
			h.parts.client.meter.hit()
			h.remember(folder, files)
			return files, nil, nil
		}
	}
	if h.offline.Load() {
		if s := h.local.snapshot(commit); s != nil {
			return nil, s, nil
		}
		return nil, nil, fmt.Errorf("%s is %w; the Hub's cache on this machine does not have it, either", h.ref, ErrOffline)
	}
	files, err := h.pages(ctx, u, folder)
	if err != nil {
		return nil, nil, err
	}
	if data, err := json.Marshal(files); err == nil && isCommit(commit) {
		h.parts.disk.store(u, &entry{Size: int64(len(data)), Len: int64(len(data)), data: data})
	}
	h.remember(folder, files)
	return files, nil, nil
}

// remember keeps what a folder has: who looks at a repository lists it more than once,
// and listings say the digests of files.
func (h *hub) remember(folder string, files []file) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listed == nil {
		h.listed = make(map[string][]file)
	}
	h.listed[folder] = files
}

// listing returns what a folder has, if that or all of the repository was listed before.
func (h *hub) listing(folder string) ([]file, bool) {
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

// searchPath returns the index of the first file whose path is not less than one.
func searchPath(files []file, path string) int {
	i, _ := slices.BinarySearchFunc(files, path, func(f file, path string) int { return cmp.Compare(f.Path, path) })
	return i
}

// listedDigest returns the digest of a file by the listings there were, or "". The caller
// has the lock.
func (h *hub) listedDigest(name string) string {
	for _, files := range h.listed {
		if i := searchPath(files, name); i < len(files) && files[i].Path == name {
			return files[i].SHA256
		}
	}
	return ""
}

// pages fetches a listing from its first page on, and sorts it: the Hub's order is that
// of Git's trees.
func (h *hub) pages(ctx context.Context, u *url.URL, folder string) ([]file, error) {
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
		header, err := h.documentAndHeader(ctx, u, &page)
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
			// A file's own name lists the file.
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

// nextPage returns the URL of the page after u, or nil if that is the last. The token
// goes with the request, so it must be one of the endpoint's.
func (h *hub) nextPage(u *url.URL, header http.Header) (*url.URL, error) {
	for _, field := range header.Values("Link") {
		for link := range strings.SplitSeq(field, ",") {
			target, rel, _ := strings.Cut(link, ";")
			if !strings.Contains(rel, `rel="next"`) {
				continue
			}
			next, err := u.Parse(strings.Trim(strings.TrimSpace(target), "<>"))
			if err != nil || !h.isEndpoint(next) {
				return nil, &Error{Method: http.MethodGet, URL: shown(u), Err: errors.New("the next page of the listing is not on this server")}
			}
			return next, nil
		}
	}
	return nil, nil
}

// document fetches an answer of the API, and decodes it.
func (h *hub) document(ctx context.Context, u *url.URL, v any) error {
	_, err := h.documentAndHeader(ctx, u, v)
	return err
}

func (h *hub) documentAndHeader(ctx context.Context, u *url.URL, v any) (header http.Header, err error) {
	s := &source{url: u, access: h.access, explain: h.explain, offline: h.offline.Load()}
	text, header, err := h.parts.client.whole(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, &Error{Method: http.MethodGet, URL: shown(u), Status: http.StatusOK, Err: fmt.Errorf("the answer is not what the Hub's API gives: %w", err)}
	}
	return header, nil
}

// whole fetches all of an answer that is no object, such as a listing.
func (c *client) whole(ctx context.Context, s *source) (text []byte, header http.Header, err error) {
	err = c.persist(ctx, func() (int64, error) {
		a, err := c.do(ctx, s.call(make(http.Header), 0))
		if err != nil {
			return 0, err
		}
		defer a.body.Close()
		if a.status != http.StatusOK {
			return 0, s.refused(a)
		}
		if err := a.uncoded(); err != nil {
			return 0, err
		}
		text, err = readGrowing(a.body, maxDocument+1)
		header = a.header
		if len(text) > maxDocument {
			err = a.errorf("the answer has more than %d bytes", maxDocument)
		}
		return 0, err
	})
	return text, header, err
}
