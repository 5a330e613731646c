// Snapshots: the cache of the library huggingface_hub.

package remote

import (
	"context"
	"errors"

	"github.com/weightools/safetensors/remote/internal/hubcache"
	"github.com/weightools/safetensors/store"
)

// A Snapshot is the files of a commit on the Hugging Face Hub, or of a folder of it, that can be written into the cache
// of the Python library huggingface_hub. Its fields are Revision, Commit, Files, and Whole, which reports whether
// these are all files. Begin records the commit, and Add adds a file, with the locks of that library.
type Snapshot = hubcache.Snapshot

// A SnapshotFile is a file of a [Snapshot]. Its fields are Path and Size. Its method SHA256 returns the digest of a
// large file.
type SnapshotFile = hubcache.File

// ErrNotHub is returned by SnapshotOf for a store that is not a repository of the Hub.
var ErrNotHub = errors.New("only repositories of the Hugging Face Hub have a place in its cache")

// SnapshotOf returns the files of a folder of a store. It returns [ErrNotHub] if the store is not a repository of the
// Hub.
func SnapshotOf(ctx context.Context, s store.Store, folder string) (*Snapshot, error) {
	h, ok := s.(interface {
		Snapshot(ctx context.Context, folder string) (*Snapshot, error)
	})
	if !ok {
		return nil, ErrNotHub
	}
	return h.Snapshot(ctx, folder)
}

// PartialSnapshots returns a line for each snapshot that lacks files of its commit, as far as the cache knows. It
// looks at all snapshots if dir is the folder of a repository, and otherwise at the snapshot that dir belongs to. It
// returns none for folders outside of a cache.
func PartialSnapshots(dir string) []string { return hubcache.Partial(dir) }
