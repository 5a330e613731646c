// The local cache of the Python library huggingface_hub.

package hub

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/store"
)

// A localRepo is the folder of a repository in the cache. Its folder "refs" has files that
// name commits, and "snapshots" has a folder for each commit with the files that were
// downloaded. The Hub's documentation describes this layout for other programs.
type localRepo struct{ dir string }

// exists reports whether any file of the repository is cached.
func (l localRepo) exists() bool {
	_, err := os.Stat(filepath.Join(l.dir, "snapshots"))
	return err == nil
}

// commit returns the commit that a revision pointed to at the last download, or "".
func (l localRepo) commit(revision string) string {
	path, err := filepath.Localize(revision)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(l.dir, "refs", path))
	if commit := strings.TrimSpace(string(text)); err == nil && isCommit(commit) {
		return commit
	}
	return ""
}

// snapshot returns the store of the files of a commit, or nil.
func (l localRepo) snapshot(commit string) store.Lister {
	dir := filepath.Join(l.dir, "snapshots", commit)
	if info, err := os.Stat(dir); !isCommit(commit) || err != nil || !info.IsDir() {
		return nil
	}
	return store.Dir(dir)
}

// open opens a file of a commit, or returns nil if it is not cached.
func (l localRepo) open(ctx context.Context, commit, name string) store.Object {
	s := l.snapshot(commit)
	if s == nil {
		return nil
	}
	o, err := s.Open(ctx, name)
	if err != nil {
		return nil // the server may have it
	}
	return o
}

// isCommit reports whether a revision is a full commit ID, which never moves.
func isCommit(s string) bool { return isHex(s, 40) }

// isHex reports whether s consists of n hexadecimal digits in lower case.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
