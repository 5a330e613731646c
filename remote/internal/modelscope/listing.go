// The listing of a model, with the commit and the digests of files.

package modelscope

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// maxListed is the number of files at which ModelScope ends a listing.
const maxListed = 3000

// A file is an entry of a listing.
type file struct {
	Path     string
	Type     string // "blob", or "tree" for a folder
	Size     int64
	Revision string // the last commit that changed it
	Sha256   string
}

// digest returns the SHA-256 of a file, or "" if ModelScope does not say it.
func (f file) digest() string {
	if isHex(f.Sha256, 64) {
		return strings.ToLower(f.Sha256)
	}
	return ""
}

// An answer is the answer to a request for a listing.
type answer struct {
	Success bool
	Message string
	Data    struct {
		Files           []file
		LatestCommitter struct {
			ID      string `json:"Id"`
			ShortID string `json:"ShortId"`
		}
	}
}

// A listing has the files of a model in the order of their paths.
type listing struct {
	files    []file
	revision string // the commit, or what the user wrote if that is unknown
	isPinned bool   // revision is a commit
}

// find returns the file with a path.
func (l *listing) find(path string) (f file, ok bool) {
	i, ok := slices.BinarySearchFunc(l.files, path, func(f file, path string) int { return cmp.Compare(f.Path, path) })
	if ok {
		f = l.files[i]
	}
	return f, ok
}

func (l *listing) entries() []store.Entry {
	list := make([]store.Entry, len(l.files))
	for i, f := range l.files {
		list[i] = store.Entry{Name: f.Path, Size: f.Size}
	}
	return list
}

// listing requests the listing once.
func (r *repo) listing(ctx context.Context) (*listing, error) {
	if err := r.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer r.turn.Leave()
	if r.list != nil {
		return r.list, nil
	}
	u := r.url("/repo/files", url.Values{"Revision": {r.ref.Revision}, "Recursive": {"true"}})
	shared := r.pool.Shared
	isCommit := isHex(r.ref.Revision, 40)
	text := shared.Saved(u)
	if text == nil || !isCommit && !shared.Offline() {
		var err error
		if text, _, err = shared.Document(ctx, &fetch.Source{URL: u, Access: r.access, Explain: r.explain}); err != nil {
			return nil, err
		}
		shared.Save(u, text)
	} else {
		shared.Hit()
	}
	l, err := parseListing(text)
	if err != nil {
		return nil, fetch.BadDocument(u, err)
	}
	switch {
	case isCommit:
		l.revision, l.isPinned = r.ref.Revision, true
	case !l.isPinned:
		l.revision = r.ref.Revision
		shared.Notice(fmt.Sprintf("%s does not say which commit %s is: files of different commits may be mixed",
			r.endpoint.Host, r.ref))
	}
	if len(l.files) >= maxListed {
		shared.Notice(fmt.Sprintf("%s: ModelScope lists at most %d files; those after them are not found", r.ref, maxListed))
	}
	r.list = l
	return l, nil
}

func parseListing(text []byte) (*listing, error) {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("the answer is not valid for ModelScope: %w", err)
	}
	switch {
	case !a.Success:
		return nil, fmt.Errorf("ModelScope refuses the listing: %.200q", a.Message)
	case a.Data.Files == nil:
		return nil, fetch.Reason(fs.ErrNotExist, "there is no such revision")
	}
	l := &listing{files: slices.DeleteFunc(a.Data.Files, func(f file) bool { return f.Type == "tree" })}
	slices.SortFunc(l.files, func(a, b file) int { return cmp.Compare(a.Path, b.Path) })
	for i, f := range l.files {
		if f.Size < 0 || i > 0 && f.Path == l.files[i-1].Path {
			return nil, fmt.Errorf("the listing has %q twice, or with a negative size", f.Path)
		}
	}
	l.revision = a.commit()
	l.isPinned = l.revision != ""
	return l, nil
}

// commit returns the commit of the revision, or "". ModelScope may say only how it begins; then it is one of those that
// have changed files.
func (a *answer) commit() string {
	last := a.Data.LatestCommitter
	if isHex(last.ID, 40) {
		return last.ID
	}
	const enough = 8 // digits of a short ID
	if len(last.ShortID) < enough {
		return ""
	}
	for _, f := range a.Data.Files {
		if isHex(f.Revision, 40) && strings.HasPrefix(f.Revision, last.ShortID) {
			return f.Revision
		}
	}
	return ""
}

func isHex(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == n
}
