// Folders without safetensors files: which files of other formats are models.

package checkpoint

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/bytesio"
)

// isOtherIndex reports whether a base name is the name of an index of shards in one of the
// formats.
func (o *Options) isOtherIndex(base string) bool {
	_, ext, ok := naming.CutIndex(base)
	return ok && o.formatOf("shard"+ext) != nil
}

// adopt fills the places with files of other formats. It is called when the folder has no
// safetensors files at all: libraries prefer these.
func (f *folder) adopt(ctx context.Context) error {
	for _, index := range f.declared {
		p := f.place(naming.Folder(index))
		p.indexes = append(p.indexes, index)
	}
	byFolder := make(map[string][]string)
	for _, name := range f.shards.Heads(f.foreign) {
		below, _ := naming.CutFolder(name, f.path)
		if format := f.opts.formatOf(path.Base(name)); format != nil && format.rank(below) >= 0 {
			byFolder[naming.Folder(name)] = append(byFolder[naming.Folder(name)], name)
		}
	}
	for dir, names := range byFolder {
		names, err := f.likeliest(ctx, names)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			p := f.place(dir)
			p.weights = append(p.weights, names...)
		}
	}
	if len(f.places) == 0 {
		return f.noWeights()
	}
	f.adopted = true
	return nil
}

// likeliest returns the models among the files of one folder: files with a name that libraries
// give to models, and shards; without any, the files whose content matches a format.
func (f *folder) likeliest(ctx context.Context, names []string) ([]string, error) {
	var usual []string
	for _, name := range names {
		_, _, isShard := naming.Numbered(name)
		format := f.opts.formatOf(path.Base(name))
		if isShard || format.Joined != nil || format.rank(name) > 0 {
			usual = append(usual, name)
		}
	}
	if len(usual) > 0 {
		return usual, nil
	}
	matches := make([]bool, len(names))
	read := func(ctx context.Context, i int) bool { return f.matches(ctx, names[i]) }
	for i, is := range bytesio.Ahead(ctx, f.opts.Parallel, len(names), read) {
		matches[i] = is
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	i := -1
	return slices.DeleteFunc(names, func(string) bool { i++; return !matches[i] }), nil
}

// matches reports whether the content of a file matches one of the formats. A file that
// cannot be read is left for its reader to report.
func (f *folder) matches(ctx context.Context, name string) bool {
	object, err := f.from.Open(ctx, name)
	if err != nil {
		return true
	}
	defer object.Close()
	formats, err := f.shards.Matching(ctx, name, object)
	return err != nil || len(formats) > 0
}

// Unread returns the paths of models in other formats in the folder of the set, which
// [Discover] left out because the folder has safetensors files: indexes, or else files
// with a name that libraries give to models.
func (s *Set) Unread() []string {
	f := s.found
	if f.adopted {
		return nil
	}
	dir := naming.Folder(s.file())
	indexes := slices.DeleteFunc(slices.Clone(f.declared), func(name string) bool { return naming.Folder(name) != dir })
	if len(indexes) > 0 {
		return indexes
	}
	return slices.DeleteFunc(slices.Clone(f.foreign), func(name string) bool {
		format := f.opts.formatOf(path.Base(name))
		return naming.Folder(name) != dir || format == nil || format.rank(name) <= 0
	})
}
