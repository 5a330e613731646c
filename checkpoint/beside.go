// Files beside weights.

package checkpoint

import (
	"context"
	"path"

	"github.com/weightools/safetensors/store"
)

// OpenBeside opens a file in the folder of the set, such as "config.json". The error wraps
// fs.ErrNotExist if there is no such file.
func (s *Set) OpenBeside(ctx context.Context, name string) (store.Object, error) {
	return s.found.from.Open(ctx, path.Join(path.Dir(s.file()), name))
}
