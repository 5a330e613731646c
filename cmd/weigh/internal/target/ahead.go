// Requesting files before they are needed.

package target

import (
	"context"
	"path"
	"slices"
	"sync"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// Ahead makes Sets open the named files in the folders that have weights, while headers are read: over a network,
// each would cost a round trip later. Opening them again needs no request. A server that listed its files is not
// asked for those that it lacks, and of others only the first name is requested. Ahead does nothing for a local
// target. The caller must call stop, which waits until no request is being made.
func (t *Target) Ahead(ctx context.Context, names []string) (stop func()) {
	if !t.Remote() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	opts := *t.opts
	opts.Found = func(folders []string, listed bool) {
		if !listed {
			names = names[:1]
		} else if !slices.Contains(folders, t.Within) {
			folders = append(folders, t.Within)
		}
		var files []string
		for _, folder := range folders {
			for _, name := range names {
				files = append(files, path.Join(folder, name))
			}
		}
		running.Go(func() {
			_ = cli.Parallel(ctx, Parallel, len(files), func(ctx context.Context, i int) error {
				if object, err := t.Store.Open(ctx, files[i]); err == nil {
					object.Close()
				}
				return nil // whoever needs the file gets the error again
			})
		})
	}
	t.opts = &opts
	return func() {
		cancel()
		running.Wait()
	}
}
