// Listing a folder, and the sets that its indexes describe.

package checkpoint

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/checkpoint/internal/weightless"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/store"
)

// list lists the folder. If it does not exist, list returns missing, which is nil for the root.
func (f *folder) list(ctx context.Context, missing error) error {
	lister, ok := f.from.(store.Lister)
	switch {
	case !ok && strings.HasSuffix(f.path, naming.WeightsSuffix):
		return missing // not the name of a folder
	case !ok:
		if err := f.probe(ctx); err != nil {
			return err
		}
		f.tell(f.path)
		return nil
	}
	f.listed = true
	seen := f.path == ""
	for e, err := range lister.List(ctx, f.path) {
		if err != nil && e.Name == "" {
			if missing != nil && shard.IsMissing(err) {
				return missing // which has the whole path
			}
			return err
		}
		name, below := naming.CutFolder(e.Name, f.path)
		if !below {
			continue
		}
		seen = true
		if !naming.IsHidden(name) || f.shards.HeadsOf(path.Base(name)) != nil && !naming.IsHidden(naming.Folder(name)) {
			f.add(e.Name, err)
		}
	}
	switch {
	case !seen:
		return missing
	case len(f.places) == 0:
		if err := f.adopt(ctx); err != nil {
			return err
		}
	}
	var folders []string
	for _, p := range f.inOrder() {
		folders = append(folders, p.path)
	}
	f.tell(folders...)
	f.ahead(ctx)
	if err := f.readModules(ctx); err != nil {
		return err
	}
	return f.readParts(ctx)
}

// tell calls Options.Found.
func (f *folder) tell(folders ...string) {
	if f.opts.Found != nil {
		f.opts.Found(folders, f.listed)
	}
}

// ahead opens the files that are read next.
func (f *folder) ahead(ctx context.Context) {
	var names []string
	if f.parts != nil {
		names = append(names, path.Join(f.path, "model_index.json"))
	}
	for _, p := range f.inOrder() {
		names = append(names, p.indexes...)
	}
	shard.OpenTexts(ctx, f.from, names, f.opts.MaxIndexSize, f.opts.Parallel)
}

// add records a name of the listing, and the error of looking at it. A folder that cannot be
// listed may have a copy of the model, and is a problem to report. A broken link is not.
func (f *folder) add(name string, err error) {
	switch base := path.Base(name); {
	case IsIndex(base):
		p := f.place(naming.Folder(name))
		p.indexes = append(p.indexes, name)
	case strings.HasSuffix(base, naming.WeightsSuffix):
		p := f.place(naming.Folder(name))
		p.weights = append(p.weights, name) // opening it gives err again
	case shard.IsMissing(err), errors.Is(err, store.ErrNotRegular): // a broken or circular link, or a pipe
	case err != nil:
		f.problems = append(f.problems, err)
	case name == path.Join(f.path, "model_index.json"):
		f.parts = make(map[string]bool) // until it is read
	case name == path.Join(f.path, modulesName):
		f.modules = make(map[string]bool)
	case f.opts.isOtherIndex(base):
		f.declared = append(f.declared, name)
	case weightless.Format(base) != "" || f.opts.formatOf(base) != nil:
		f.foreign = append(f.foreign, name)
	}
}

// probe looks for common names in a store that cannot list files. It stops at the first that
// exists, because each attempt costs a request.
func (f *folder) probe(ctx context.Context) error {
	for _, stem := range []string{"model", "diffusion_pytorch_model", "adapter_model", "consolidated"} {
		for _, suffix := range []string{naming.WeightsSuffix + ".index.json", naming.WeightsSuffix} {
			name := path.Join(f.path, stem+suffix)
			head := f.opts.MaxIndexSize
			if suffix == naming.WeightsSuffix {
				head = 0
			}
			object, err := shard.OpenText(ctx, f.from, name, head)
			if shard.IsMissing(err) {
				continue
			} else if err != nil {
				return shard.AtPath("open", name, err)
			}
			f.add(name, nil)
			return object.Close()
		}
	}
	return f.noWeights()
}

// readParts reads the names of sub-folders from model_index.json. The library diffusers writes a
// member for each part, with the name of its folder. Text after a syntax error is ignored.
func (f *folder) readParts(ctx context.Context) error {
	if f.parts == nil {
		return nil
	}
	text, err := f.readText(ctx, path.Join(f.path, "model_index.json"))
	if err != nil {
		return err
	}
	s := jsonscan.New(text)
	_ = s.Members(func(key jsonscan.Str, _ int) error {
		f.parts[string(s.Text(key.Begin, key.End))] = true
		_, _, err := s.Skip()
		return err
	})
	for p := range f.places {
		if f.isPart(p) {
			return nil
		}
	}
	f.parts = nil // it names no part that exists
	return nil
}

// indexSet returns the set of an index. Its shards are those with valid names, including missing
// ones, which Validate reports.
func (f *folder) indexSet(ctx context.Context, file string) (*Set, error) {
	text, err := f.readText(ctx, file)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: file, Role: Model, Index: file, found: f}
	ends := f.opts.shardEnds(file)
	p := index.ParseLimited(text, f.opts.MaxShards, ends...)
	if p.Overflow != nil {
		return nil, shard.AtPath("open", file, p.Overflow)
	}
	s.index, s.report = p.Index, p.Report()
	s.first = make(map[string]int)
	last := ""
	for i := range s.index.Tensors {
		name := s.index.Tensors[i].Shard
		if name == last {
			continue // as for almost every entry
		}
		last = name
		if _, seen := s.first[name]; seen {
			continue
		}
		s.first[name] = i
		if naming.Fault(name, ends...) == "" {
			s.Shards = append(s.Shards, path.Join(naming.Folder(file), name))
		}
	}
	slices.SortFunc(s.Shards, naming.CompareShards)
	s.byName = make(map[string]int, len(s.Shards))
	for i, p := range s.Shards {
		name, _ := naming.CutFolder(p, naming.Folder(file))
		s.byName[name] = i
	}
	return s, nil
}

// A NoWeightsError says that a folder has no weights that this package can open.
type NoWeightsError = weightless.Error

func (f *folder) noWeights() error {
	// Files of a model come before files of an optimizer, which have the same extension.
	slices.SortStableFunc(f.foreign, func(a, b string) int {
		return boolOrder(!strings.Contains(a, "model"), !strings.Contains(b, "model"))
	})
	ends := []string{naming.WeightsSuffix}
	for i := range f.opts.Formats {
		ends = append(ends, f.opts.Formats[i].Extensions...)
	}
	return &NoWeightsError{Path: f.path, Listed: f.listed, Extensions: ends, Foreign: f.foreign}
}
