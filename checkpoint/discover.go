// Finding the sets of a target.

package checkpoint

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// Discover returns the sets of a file, or of a folder and the folders below it. Models come first,
// and of these the one in the folder itself. It reads indexes, and the headers of files that no
// index lists. It compares files of the same size, unless the options say HeadersOnly. Files that
// cannot be read are left to Validate.
func Discover(ctx context.Context, from store.Store, path string, opts *Options) ([]*Set, error) {
	f, set, err := find(ctx, from, path, opts)
	switch {
	case err != nil:
		return nil, err
	case set == nil:
		return f.sets(ctx)
	case set.object != nil:
		err = set.object.Close()
		set.object = nil
	}
	return []*Set{set}, err
}

// find returns the set of a file, or the folder.
func find(ctx context.Context, from store.Store, name string, opts *Options) (*folder, *Set, error) {
	f := &folder{
		from: from, opts: opts.orDefault(), path: name, turn: shard.NewTurn(),
		places: make(map[string]*place), claimed: make(map[string]bool),
	}
	f.shards = f.opts.shards()
	if strings.HasSuffix(name, ".index.json") || IsIndex(name) {
		set, err := f.indexSet(ctx, name)
		if err == nil {
			f.tell(naming.Folder(name))
		}
		return f, set, err
	}
	// A file or a folder? Only opening it tells, which costs less than listing a bucket.
	var missing error
	if name != "" {
		object, err := f.shards.OpenHead(ctx, from, &name)
		if err == nil {
			if parts := f.shards.PartsOf(ctx, name, object, f.opts.MaxShards); len(parts) > 1 {
				return f, &Set{Name: name, Role: Model, Shards: parts, found: f}, object.Close()
			}
			return f, &Set{Name: name, Role: Model, Shards: []string{name}, found: f, object: object}, nil
		}
		if missing = shard.AtPath("open", name, err); !shard.IsMissing(err) {
			return nil, nil, missing
		}
	}
	return f, nil, f.list(ctx, missing)
}

// Locate returns the store of a ref, and the path in that store.
func Locate(ctx context.Context, ref string, opts *Options) (store.Store, string, error) {
	r, err := store.Parse(ref)
	if err != nil {
		return nil, "", err
	}
	if r.Scheme != "file" {
		if opts == nil || opts.Resolve == nil {
			return nil, "", fmt.Errorf("checkpoint: %s is remote, and Options.Resolve is not set", r)
		}
		from, err := opts.Resolve(ctx, r)
		return from, r.Path, err
	}
	info, err := os.Stat(r.String())
	switch {
	case err != nil:
		return nil, "", err
	case info.IsDir():
		// A store lists all its files, so the store of a directory is the directory itself, not
		// its parent.
		return store.Dir(r.String()), "", nil
	}
	return store.Dir(r.Root), r.Path, nil
}
