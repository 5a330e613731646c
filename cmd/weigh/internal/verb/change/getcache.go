// Downloads into the cache of the library huggingface_hub.

package change

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/remote"
)

// getToCache downloads a model into the cache, and if the target is a folder, also the files in it that are not
// weights: loaders need the configuration and the tokenizer.
func getToCache(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set, f *getFlags) error {
	s, files, err := cached(ctx, at, sets, f)
	if err != nil {
		return err
	}
	if f.dryRun {
		got := &receipt.Got{DryRun: true}
		for _, one := range files {
			got.Files = append(got.Files, receipt.GotFile{Path: one.Path, Size: one.Size,
				Companion: filetype.IsCompanion(one.Path)})
		}
		return sess.Receipt(got, f.json, true)
	}
	if err := s.Begin(len(files), check.FileNames); err != nil {
		return err
	}
	if err := cacheSpace(s, files); err != nil {
		return err
	}
	all := &fetching{sess: sess, slots: make(chan struct{}, requestsAtOnce)}
	for _, one := range files {
		all.done.Bytes.Add(one.Size)
	}
	got := &receipt.Got{Files: make([]receipt.GotFile, len(files))}
	stop := sess.ShowProgress(&all.done)
	err = cli.Parallel(ctx, filesAtOnce, len(files), func(ctx context.Context, i int) (err error) {
		got.Files[i], err = all.toCache(ctx, at, s, files[i])
		return err
	})
	stop()
	if err != nil {
		return err
	}
	return sess.Receipt(got, f.json, false)
}

// cached returns the files to download into the cache, and their snapshot.
func cached(ctx context.Context, at *target.Target, sets []*checkpoint.Set, f *getFlags) (*remote.Snapshot,
	[]*remote.SnapshotFile, error) {
	names := make(map[string]*checkpoint.Set)
	for _, set := range sets {
		for _, name := range append(slices.Clone(set.Shards), set.Index) {
			if name != "" {
				names[name] = set
			}
		}
	}
	folder := at.Within
	isFile := names[folder] != nil
	if isFile {
		folder = path.Dir(path.Join("/", folder))[1:]
	}
	s, err := remote.SnapshotOf(ctx, at.Store, folder)
	if errors.Is(err, remote.ErrNotHub) {
		return nil, nil, cli.Usagef("--to-cache takes repositories of the Hugging Face Hub only: use -o DIR for %q",
			at.Path(at.Within))
	}
	if err != nil {
		return nil, nil, at.Fault(err)
	}
	var files []*remote.SnapshotFile
	for i := range s.Files {
		one := &s.Files[i]
		isOther := !isFile && !f.weightsOnly && filetype.WeightsFormat(path.Base(one.Path)) == ""
		if names[one.Path] != nil || isOther {
			files = append(files, one)
		}
		delete(names, one.Path)
	}
	if absent := slices.Sorted(maps.Keys(names)); len(absent) > 0 {
		err := &fs.PathError{Op: "open", Path: absent[0], Err: fs.ErrNotExist}
		return nil, nil, at.Fault(missing(ctx, &wanted{name: absent[0], set: names[absent[0]]}, err))
	}
	return s, files, nil
}

// cacheSpace returns an error if the disk is too small.
func cacheSpace(s *remote.Snapshot, files []*remote.SnapshotFile) error {
	var need int64
	for _, one := range files {
		if !s.Has(one) {
			need += one.Size
		}
	}
	return checkFree(s.Repo.Cache(), need)
}

// toCache adds a file to the cache.
func (a *fetching) toCache(ctx context.Context, at *target.Target, s *remote.Snapshot,
	one *remote.SnapshotFile) (got receipt.GotFile, err error) {
	name, err := s.Path(one)
	if err != nil {
		return got, err
	}
	got = receipt.GotFile{Path: filepath.ToSlash(name), Size: one.Size, SHA256: one.SHA256(), Kept: true}
	d, kept := a.download(one.Path, one.Size)
	err = s.Add(ctx, one, d.Busy, func(ctx context.Context, blob string) error {
		object, err := at.Store.Open(ctx, one.Path)
		if err != nil {
			return err
		}
		defer object.Close()
		written, err := d.Run(ctx, object, blob)
		if err != nil {
			return err
		}
		got.Kept, got.SHA256 = false, hex.EncodeToString(written.SHA256[:])
		got.Verified, got.Resumed = true, written.Resumed // Add verifies what the download does not
		return nil
	})
	if err != nil {
		return got, fmt.Errorf("%s: %w", at.Path(one.Path), err)
	}
	kept()
	return got, nil
}
