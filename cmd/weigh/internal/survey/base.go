// The base of an adapter.

package survey

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// A base is the sets of the base that the user has given for adapters.
type base struct {
	sets []*checkpoint.Set
	used bool
}

// openBase opens the base that the user has given, if any.
func (s *Survey) openBase(ctx context.Context, sess *cli.Session) (err error) {
	if s.opts.Base != "" {
		_, s.base.sets, err = target.Find(ctx, sess, s.opts.Base, s.baseOptions())
	}
	return err
}

func (s *Survey) baseOptions() checkpoint.Options {
	return checkpoint.Options{Opener: *s.opener(), HeadersOnly: true}
}

// baseOf returns the given base of an adapter. Otherwise it returns the one that adapter_config.json names by a
// relative path, as seen from the folder of the adapter in the local folder dir. It opens no absolute path and nothing
// remote, because the file may come from a stranger.
func (s *Survey) baseOf(ctx context.Context, sess *cli.Session, dir, folder, name string) (string, []*checkpoint.Set) {
	if s.opts.Base != "" {
		s.base.used = true
		return s.opts.Base.String(), s.base.sets
	}
	if dir == "" || !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") || strings.ContainsAny(name, `\:`) {
		return name, nil
	}
	path := filepath.Join(dir, filepath.FromSlash(folder), filepath.FromSlash(name))
	at, err := target.Open(ctx, sess, target.Name(path), s.baseOptions())
	if err != nil || at.Within != "" {
		return name, nil
	}
	sets, err := at.Sets(ctx)
	if err != nil {
		return name, nil
	}
	return name, sets
}
