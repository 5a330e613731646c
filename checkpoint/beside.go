// Other files in the folder of a set.

package checkpoint

import (
	"context"
	"path"

	"github.com/weightools/safetensors/store"
)

// OpenBeside opens a file in the folder of the set, such as "config.json". The error wraps
// fs.ErrNotExist if the file does not exist.
func (s *Set) OpenBeside(ctx context.Context, name string) (store.Object, error) {
	return s.found.from.Open(ctx, path.Join(path.Dir(s.file()), name))
}

// LeftOver returns the sets of the indexes in the folder of the set whose shards are all
// missing: the folder's files are taken without them.
func (s *Set) LeftOver() []*Set { return s.stale }
