// The layout of the cache, and reading it.

// Package hubcache reads and writes the cache of the Python library huggingface_hub, whose layout the Hub documents
// for other programs: https://huggingface.co/docs/hub/local-cache.
//
// The folder of a repository, such as models--org--name, has blobs, which are named by their digests; refs, files
// that name the commits of branches and tags; snapshots, a folder for each commit with links to blobs; and trees,
// the listings of commits. Beside the folders of repositories, .locks has a file for each blob that is or was
// written.
package hubcache

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/store"
)

// A Repo is a repository in a cache.
type Repo struct {
	cache  string
	folder string // such as models--org--name
}

// NewRepo returns a repository in a cache. The kind is "models", "datasets", "spaces" or "kernels".
func NewRepo(cache, kind, name string) Repo {
	return Repo{cache, kind + "--" + strings.ReplaceAll(name, "/", "--")}
}

// Cache returns the folder of the cache.
func (r Repo) Cache() string { return r.cache }

// path returns the path of a file in the folder of the repository.
func (r Repo) path(elements ...string) string {
	return filepath.Join(append([]string{r.cache, r.folder}, elements...)...)
}

// in returns the path of a file in a folder of the repository. The path of the file there has slashes, and is not
// trusted.
func (r Repo) in(path string, folder ...string) (string, error) {
	local, err := filepath.Localize(path)
	if err != nil {
		return "", fmt.Errorf("%q is not a valid file name on this system", path)
	}
	return filepath.Join(r.path(folder...), local), nil
}

// Exists reports whether any file of the repository is cached.
func (r Repo) Exists() bool {
	_, err := os.Stat(r.path("snapshots"))
	return err == nil
}

// Commit returns the commit that a revision pointed to at the last download, or "".
func (r Repo) Commit(revision string) string {
	name, err := r.in(revision, "refs")
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(name)
	if commit := strings.TrimSpace(string(text)); err == nil && IsCommit(commit) {
		return commit
	}
	return ""
}

// Snapshot returns the store of the files of a commit, or nil.
func (r Repo) Snapshot(commit string) store.Lister {
	dir := r.path("snapshots", commit)
	if info, err := os.Stat(dir); !IsCommit(commit) || err != nil || !info.IsDir() {
		return nil
	}
	return store.Dir(dir)
}

// Open opens a file of a commit, or returns nil if it is not cached.
func (r Repo) Open(ctx context.Context, commit, name string) store.Object {
	s := r.Snapshot(commit)
	if s == nil {
		return nil
	}
	o, err := s.Open(ctx, name)
	if err != nil {
		return nil // the server may have it
	}
	return o
}

// A tree is a file of trees: the listing of a commit.
type tree struct {
	Version int                 `json:"format_version"`
	Files   map[string]treeFile `json:"files"`
}

// A treeFile is a file of a listing.
type treeFile struct {
	Size    int64  `json:"size"`
	BlobID  string `json:"blob_id"`
	SHA256  string `json:"lfs_sha256,omitempty"`
	LFSSize int64  `json:"lfs_size,omitempty"`
}

// treeVersion is the version of the format of trees that is read and written.
const treeVersion = 1

// missing returns how many files of a commit are not cached, the first of them, and how many files the commit has.
// It returns 0 if the cache does not have the listing of the commit.
func (r Repo) missing(commit string) (missing int, first string, all int) {
	const most = 64 << 20 // bytes
	name := r.path("trees", commit+".json")
	if info, err := os.Stat(name); err != nil || info.Size() > most || !IsCommit(commit) {
		return 0, "", 0
	}
	text, err := os.ReadFile(name)
	var t tree
	if err != nil || json.Unmarshal(text, &t) != nil || t.Version != treeVersion {
		return 0, "", 0
	}
	for file := range t.Files {
		name, err := r.in(file, "snapshots", commit)
		if err == nil {
			_, err = os.Stat(name)
		}
		if err == nil {
			continue
		}
		if missing++; first == "" || file < first {
			first = file
		}
	}
	return missing, first, len(t.Files)
}

// Partial describes which files of a commit are not cached. The note is "" if all of them are, or if that is not
// known, because the cache does not have the listing of the commit.
func (r Repo) Partial(commit string) (note string, known bool) {
	missing, first, all := r.missing(commit)
	if missing > 0 {
		note = fmt.Sprintf("the local cache is partial: it has %d of %d files, and lacks %q", all-missing, all, first)
	}
	return note, all > 0
}

// Partial describes the partial snapshots in the folder of a repository, or the snapshot that a folder belongs to if
// it is partial. It returns one line for each.
func Partial(dir string) (notes []string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if below, err := os.ReadDir(filepath.Join(dir, "snapshots")); err == nil {
		r := Repo{filepath.Dir(dir), filepath.Base(dir)}
		for _, e := range below {
			if note, _ := r.Partial(e.Name()); note != "" {
				notes = append(notes, fmt.Sprintf("snapshot %s: %s", e.Name(), note))
			}
		}
		return notes
	}
	for at := dir; ; at = filepath.Dir(at) {
		snapshots := filepath.Dir(at)
		if snapshots == at {
			return nil
		}
		if IsCommit(filepath.Base(at)) && filepath.Base(snapshots) == "snapshots" {
			repo := filepath.Dir(snapshots)
			if note, _ := (Repo{filepath.Dir(repo), filepath.Base(repo)}).Partial(filepath.Base(at)); note != "" {
				return []string{note}
			}
			return nil
		}
	}
}

// IsCommit reports whether a revision is a full commit ID, which never moves.
func IsCommit(s string) bool { return isHex(s, 40) }

// IsBlob reports whether a string may be the name of a blob: the SHA-256 of a large file, or the Git ID of a small one.
func IsBlob(s string) bool { return isHex(s, 64) || isHex(s, 40) }

// IsSHA256 reports whether a string may be the name of the blob of a large file.
func IsSHA256(s string) bool { return isHex(s, 64) }

// isHex reports whether s consists of n hexadecimal digits in lower case.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
