// Locating the files of a source, and where the output goes.

package convert

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A located is the files of a source.
type located struct {
	shards  []locatedShard
	folder  bool // whether a folder or an index was named
	index   *checkpoint.Index
	from    string // the name of the index
	stem    string // what names of new files begin with
	joined  bool   // whether the shards are parts of one file
	oneFile bool   // whether the output is one file
	close   func() error
	parts   []store.Object // open files that close does not close
}

// A locatedShard is one file of a source.
type locatedShard struct {
	path   string // by which the user can open it
	object store.Object
	joined joined // the tensors, if they are in several files
	part   bool   // whether it belongs to the joined tensors of another
}

// closeAll closes the files.
func (l *located) closeAll() error {
	errs := []error{l.close()}
	for _, one := range l.parts {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// locate finds the files of a source: a file of any name, or the model in a
// folder, or the shards of an index, as package checkpoint finds them.
func (c *Conversion) locate(ctx context.Context, src string) (*located, error) {
	opts := &checkpoint.Options{
		Resolve: c.Resolve, HeadersOnly: true, Formats: c.formats(),
	}
	ref, err := store.Parse(src)
	if err != nil {
		return nil, err
	}
	from, within, err := checkpoint.Locate(ctx, src, opts)
	if err != nil {
		return nil, err
	}
	if within != "" && !strings.HasSuffix(within, ".index.json") && !mayBeJoined(opts.Formats, within) {
		object, err := from.Open(ctx, within)
		if err == nil {
			one := locatedShard{path: inStore(ref, within, within), object: object}
			return &located{shards: []locatedShard{one}, stem: stemOf(within), close: object.Close}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return locateModel(ctx, from, ref, within, opts)
}

// locateModel finds the model in a folder, or of an index.
func locateModel(ctx context.Context, from store.Store, ref store.Ref, within string,
	opts *checkpoint.Options) (*located, error) {
	sets, err := checkpoint.Discover(ctx, from, within, opts)
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) {
		named := *none
		named.Path = ref.String()
		return nil, &named
	}
	if err != nil {
		return nil, err
	}
	set := sets[0]
	for _, one := range append(set.LeftOver(), set) {
		fault := one.Fault()
		var v *safetensors.Violation
		switch {
		case errors.As(fault, &v):
			return nil, &SourceError{inStore(ref, within, one.Index), v}
		case one.Index != "" && len(one.Shards) == 0:
			return nil, &SourceError{inStore(ref, within, one.Index), errors.New("the index names no shards")}
		}
	}
	if err := unclear(sets, ref, within); err != nil {
		return nil, err
	}
	cp := set.Open()
	l := &located{folder: true, index: cp.Index(), stem: stemOf(set.Name), close: cp.Close}
	for _, shard := range set.Shards {
		object, err := cp.Object(ctx, shard)
		var v *safetensors.Violation
		if errors.As(err, &v) && v.Rule == checkpoint.RuleShardMissing {
			err = &SourceError{inStore(ref, within, cmp.Or(set.Index, shard)), v}
		}
		var all joined
		if err == nil {
			all, err = openJoined(ctx, cp, shard, opts)
		}
		l.shards = append(l.shards, locatedShard{path: inStore(ref, within, shard), object: object, joined: all})
		if err == nil && all != nil {
			l.joined = true
			err = l.openParts(ctx, from, shard, all, func(name string) string { return inStore(ref, within, name) })
		}
		if err != nil {
			l.closeAll()
			return nil, err
		}
	}
	switch {
	case set.Index != "":
		l.from = inStore(ref, within, set.Index)
	case len(set.Shards) > 1, l.joined:
		l.stem = "model"
	}
	return l, nil
}

// unclear returns an error if there is nothing to convert in a folder, or several models to choose from.
func unclear(sets []*checkpoint.Set, ref store.Ref, within string) error {
	set := sets[0]
	switch names := set.Unread(); {
	case strings.HasSuffix(set.Shards[0], weightsEnd) && len(names) > 0:
		return refuse("%s has safetensors files already: name %s to convert it", wording.Quote(ref.String()),
			wording.Quote(inStore(ref, within, names[0])))
	case strings.HasSuffix(set.Shards[0], weightsEnd):
		return refuse("%s has safetensors files already, and nothing to convert", wording.Quote(ref.String()))
	case len(sets) > 1 && sets[1].Counted():
		n := 0
		for _, one := range sets {
			if one.Counted() {
				n++
			}
		}
		return refuse("%s has %d models: name one of them, such as %s", wording.Quote(ref.String()), n,
			wording.Quote(inStore(ref, within, set.Name)))
	}
	return nil
}

// inStore returns the path by which the user can open what is at a path in the store.
func inStore(ref store.Ref, within, name string) string {
	switch {
	case ref.Scheme != "file":
		ref.Path = name
		return ref.String()
	case within == "": // the store is the folder that was named
		return path.Join(filepath.ToSlash(ref.String()), name)
	}
	return path.Join(filepath.ToSlash(ref.Root), name)
}

// sourceEnds are the extensions of checkpoints of PyTorch and NumPy, of their indexes, and of GGUF files.
var sourceEnds = []string{".index.json", ".distcp", ".bin", ".pt", ".pth", ".ckpt", ".npz", ".pkl", ".gguf"}

// stemOf returns what the name of a new file begins with.
func stemOf(name string) string {
	base := path.Base(name)
	for _, end := range sourceEnds {
		base = strings.TrimSuffix(base, end)
	}
	if base = shards.StemOf(base); base == "" || base[0] == '.' {
		return "model"
	}
	return base
}

// aim returns where the new files go.
func (l *located) aim(dst string) (dir, stem string, err error) {
	ext := ""
	if len(l.shards) == 1 || l.joined {
		ext = weightsEnd
	}
	out, err := shards.FindOutput(dst, ext, wording.Count(len(l.shards), "shard")+" to convert")
	if err != nil || out.File == "" {
		return out.Dir, l.stem, err
	}
	l.oneFile = true
	return out.Dir, strings.TrimSuffix(out.File, weightsEnd), nil
}

// weightsEnd is the extension of safetensors files.
const weightsEnd = ".safetensors"
