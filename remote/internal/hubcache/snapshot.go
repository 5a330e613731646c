// Writing a snapshot into the cache.

package hubcache

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/store"
)

// A Snapshot is the files of a commit, or of a folder of it, that can be written into the cache.
type Snapshot struct {
	Repo     Repo
	Revision string // branch, tag or commit
	Commit   string
	Files    []File // in the order of their paths
	Whole    bool   // these are all files of the commit
}

// A File is a file of a snapshot.
type File struct {
	Path  string // in the repository, slash-separated
	Size  int64  // in bytes
	Blob  string // the name of its blob: its SHA-256 if it is large, and otherwise its Git ID
	GitID string // of what the repository has: a large file has a pointer there
}

// SHA256 returns the SHA-256 of a large file in hexadecimal digits, or "".
func (f *File) SHA256() string {
	if IsSHA256(f.Blob) {
		return f.Blob
	}
	return ""
}

// Folder returns the folder of the snapshot, whose files are links to blobs.
func (s *Snapshot) Folder() string { return s.Repo.path("snapshots", s.Commit) }

// Begin records the commit of the revision, and which files of the repository do not exist among those that
// loaders ask for. If the chosen files are all of the commit, it also records the listing, by which others can tell
// that a snapshot is incomplete.
func (s *Snapshot) Begin(chosen int, asked []string) error {
	if !IsCommit(s.Commit) {
		return fmt.Errorf("%q is not the ID of a commit", s.Commit)
	}
	if s.Revision != s.Commit && s.Repo.Commit(s.Revision) != s.Commit {
		if err := s.write([]byte(s.Commit), s.Revision, "refs"); err != nil {
			return err
		}
	}
	if !s.Whole {
		return nil
	}
	t := tree{treeVersion, make(map[string]treeFile)}
	for _, f := range s.Files {
		entry := treeFile{Size: f.Size, BlobID: f.GitID, SHA256: f.SHA256()}
		if entry.SHA256 != "" {
			entry.LFSSize = f.Size
		}
		t.Files[f.Path] = entry
	}
	for _, name := range asked {
		if _, ok := t.Files[name]; ok {
			continue
		}
		if err := s.write(nil, name, ".no_exist", s.Commit); err != nil {
			return err
		}
	}
	if chosen < len(s.Files) {
		return nil
	}
	text, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	return s.write(text, s.Commit+".json", "trees")
}

// write writes a small file, whose path in a folder of the repository has slashes.
func (s *Snapshot) write(text []byte, path string, folder ...string) error {
	name, err := s.Repo.in(path, folder...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return store.WriteFile(name, true, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Path returns the name of a file in the snapshot.
func (s *Snapshot) Path(f *File) (string, error) {
	return s.Repo.in(f.Path, "snapshots", s.Commit)
}

// Has reports whether the cache has a file or its blob.
func (s *Snapshot) Has(f *File) bool {
	link, err := s.Path(f)
	return err == nil && isComplete(link, f.Size) == nil || isComplete(s.Repo.path("blobs", f.Blob), f.Size) == nil
}

// Add adds a file to the snapshot, unless it is there. If its blob is not there either, download writes it to the
// named file, and verifies the SHA-256 of a large file; Add verifies the Git ID of a small one. Add locks the blob
// like huggingface_hub: only one process downloads it. Add calls busy once if it has to wait.
func (s *Snapshot) Add(ctx context.Context, f *File, busy func(),
	download func(ctx context.Context, name string) error) error {
	link, err := s.Path(f)
	if err != nil {
		return err
	}
	if !IsBlob(f.Blob) {
		return fmt.Errorf("%q is not the name of a blob", f.Blob)
	}
	if err := isComplete(link, f.Size); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	blob := s.Repo.path("blobs", f.Blob)
	for _, dir := range []string{filepath.Dir(blob), filepath.Dir(link)} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	unlock, err := lock(ctx, filepath.Join(s.Repo.cache, ".locks", s.Repo.folder, f.Blob+".lock"), busy)
	if err != nil {
		return err
	}
	defer unlock()
	isNew := false
	if err := isComplete(blob, f.Size); errors.Is(err, fs.ErrNotExist) {
		isNew = true
		err = download(ctx, blob)
		if err == nil && f.SHA256() == "" {
			err = checkGitID(blob, f.Blob)
		}
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := isComplete(link, f.Size); !errors.Is(err, fs.ErrNotExist) {
		return err // another process was first
	}
	return point(link, blob, isNew)
}

// isComplete returns nil if a file exists and has the expected size, and an error that wraps fs.ErrNotExist if it does
// not exist.
func isComplete(name string, size int64) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Size() == size {
		return nil
	}
	if blob, err := filepath.EvalSymlinks(name); err == nil {
		name = blob
	}
	return fmt.Errorf("it has %d bytes in the cache, and %d on the server: remove %q", info.Size(), size, name)
}

// checkGitID returns an error, and removes the file, unless its content has that ID in Git.
func checkGitID(name, id string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	if got := hex.EncodeToString(h.Sum(nil)); got != id {
		return errors.Join(fmt.Errorf("the download has the Git ID %s, and the Hub recorded %s: download it again", got, id),
			os.Remove(name))
	}
	return nil
}

// point makes a relative link to a blob, or on systems without links a copy: of a new blob, the only one.
func point(link, blob string, isNew bool) error {
	to, err := filepath.Rel(filepath.Dir(link), blob)
	if err != nil {
		return err
	}
	_ = os.Remove(link) // a broken one
	err = symlink(to, link)
	switch {
	case err == nil:
		return nil
	case isNew:
		return os.Rename(blob, link)
	}
	from, err := os.Open(blob)
	if err != nil {
		return err
	}
	defer from.Close()
	return store.WriteFile(link, true, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// symlink is a variable for tests of systems without symbolic links.
var symlink = os.Symlink
