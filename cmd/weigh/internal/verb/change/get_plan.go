// What get downloads: weights, or some of their tensors, and the files that belong to them.

package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// A getting is a download that is planned.
type getting struct {
	*getFlags
	at     *target.Target
	sets   []*checkpoint.Set
	beside *shards.Companions
	sizes  map[string]int64 // of listed files
	files  []*wanted
	got    *receipt.Got
}

// plan decides what is downloaded, and opens the files unless it is a dry run. The caller closes the files, also after
// an error.
func (f *getFlags) plan(ctx context.Context, sess *cli.Session, at *target.Target,
	sets []*checkpoint.Set) ([]*wanted, *receipt.Got, error) {
	g := &getting{getFlags: f, at: at, sets: sets, beside: new(shards.Companions), sizes: make(map[string]int64),
		got: &receipt.Got{Local: !at.Remote(), DryRun: f.dryRun}}
	if err := g.list(ctx, sess); err != nil {
		return nil, nil, err
	}
	if err := g.choose(ctx); err != nil {
		return g.files, nil, err
	}
	return g.files, g.got, g.open(ctx)
}

// list lists the weights, and the files beside them.
func (g *getting) list(ctx context.Context, sess *cli.Session) error {
	ours := make(map[string]bool)
	for _, set := range g.sets {
		names := set.Shards
		if set.Index != "" {
			names = append([]string{set.Index}, names...)
		}
		for _, name := range names {
			ours[name] = true
			if err := g.add(&wanted{name: name, path: g.at.Below(name), set: set}); err != nil {
				return err
			}
		}
	}
	folder, ok := folderOf(g.at)
	if !ok {
		return nil
	}
	found, err := shards.FindCompanions(ctx, g.at.Store, folder, g.at.Path, func(name string) bool { return ours[name] })
	if err != nil {
		return err
	}
	g.beside = found
	for i := range found.Listed {
		g.sizes[found.Listed[i].Stored()] = found.Listed[i].Size
	}
	if !g.weightsOnly {
		for _, file := range found.Unreadable {
			sess.Notice("%s is not copied: permission denied", file)
		}
	}
	if found.Unlisted && !g.weightsOnly {
		sess.Notice("%s does not list its files: only weights are downloaded", g.at.Name)
	}
	return nil
}

// add adds a file. Names are not trusted, and some are not valid paths on this system.
func (g *getting) add(w *wanted) error {
	if _, err := filepath.Localize(strings.ToValidUTF8(w.path, "_")); err != nil {
		return fmt.Errorf("%q is not a valid file name on this system", w.path)
	}
	w.path = filepath.FromSlash(w.path)
	g.files = append(g.files, w)
	return nil
}

// choose applies --include, --exclude and --weights-only.
func (g *getting) choose(ctx context.Context) error {
	files, tensors, err := g.patterns(ctx)
	if err != nil {
		return err
	}
	taken := make(map[string]bool)
	for _, w := range g.files {
		taken[w.name] = len(files.Include) == 0 && len(tensors.Include)+len(tensors.Exclude) > 0
	}
	if len(tensors.Include)+len(tensors.Exclude) > 0 {
		if err := g.subset(ctx, &tensors); err != nil {
			return err
		}
	} else {
		g.files = slices.DeleteFunc(g.files, func(w *wanted) bool { return !files.Has(filepath.ToSlash(w.path)) })
	}
	beside := g.beside.Files
	if len(files.Include) > 0 {
		beside = g.beside.Listed // any file
	} else if g.weightsOnly || !takesCompanions(g.dir) {
		beside = nil
	}
	for _, w := range g.files {
		taken[w.name] = true
	}
	for i := range beside {
		one := &beside[i]
		if taken[one.Stored()] || !files.Has(one.Name) {
			continue
		}
		taken[one.Stored()] = true
		if err := g.add(&wanted{name: one.Stored(), path: one.Name, companion: true}); err != nil {
			return err
		}
	}
	for _, one := range g.beside.Listed {
		if !taken[one.Stored()] {
			g.got.NotCopied = append(g.got.NotCopied, one.Path)
		}
	}
	if len(g.files) == 0 {
		return cli.Usagef("no file is left: --exclude matches all that are selected")
	}
	return nil
}

// patterns sorts the patterns into those of files and those of tensors. A pattern that matches a tensor is one of
// tensors, whatever files there are: "model.**" also matches model.safetensors.
func (g *getting) patterns(ctx context.Context) (files fileFilter, tensors glob.Filter, err error) {
	if g.Include == nil && g.Exclude == nil {
		return files, tensors, nil
	}
	all, err := g.NameFlags.Compile()
	if err != nil {
		return files, tensors, err
	}
	names, err := g.tensorNames(ctx)
	if err != nil {
		return files, tensors, err
	}
	sorted := func(patterns []*glob.Pattern, ofTensors *[]*glob.Pattern, ofFiles *[]*glob.Pattern) error {
		for _, p := range patterns {
			if slices.ContainsFunc(names, p.Match) {
				*ofTensors = append(*ofTensors, p)
				continue
			}
			file, err := glob.CompilePath(p.String())
			if err != nil || !g.anyFile(file) {
				return cli.Usagef("no tensor and no file matches %q; %s", p,
					cli.NearestTo(p.String(), slices.Values(slices.Concat(g.fileNames(), names))))
			}
			*ofFiles = append(*ofFiles, file)
		}
		return nil
	}
	err = errors.Join(sorted(all.Include, &tensors.Include, &files.Include),
		sorted(all.Exclude, &tensors.Exclude, &files.Exclude))
	return files, tensors, err
}

// tensorNames returns the names of all tensors.
func (g *getting) tensorNames(ctx context.Context) ([]string, error) {
	names := make(map[string]bool)
	for _, set := range g.sets {
		cp := set.Open()
		defer cp.Close()
		for t, err := range cp.Tensors(ctx) {
			if err != nil {
				return nil, g.at.Fault(err)
			}
			names[t.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// fileNames returns the paths of all files.
func (g *getting) fileNames() (names []string) {
	for _, w := range g.files {
		names = append(names, filepath.ToSlash(w.path))
	}
	for i := range g.beside.Listed {
		names = append(names, g.beside.Listed[i].Name)
	}
	return names
}

// anyFile reports whether a pattern matches a file.
func (g *getting) anyFile(p *glob.Pattern) bool {
	return slices.ContainsFunc(g.fileNames(), func(name string) bool { return matchesFile(p, name) })
}

// A fileFilter selects files by their paths.
type fileFilter struct{ Include, Exclude []*glob.Pattern }

// Has reports whether a file is selected.
func (f *fileFilter) Has(name string) bool {
	matches := func(p *glob.Pattern) bool { return matchesFile(p, name) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, matches)) && !slices.ContainsFunc(f.Exclude, matches)
}

// matchesFile reports whether a pattern matches a path, or the name of the file if the pattern has no slash.
func matchesFile(p *glob.Pattern, name string) bool {
	return p.Match(name) || !strings.Contains(p.String(), "/") && p.Match(path.Base(name))
}

// subset replaces the weights by one file of the selected tensors.
func (g *getting) subset(ctx context.Context, chosen *glob.Filter) error {
	if len(g.sets) > 1 {
		return cli.Usagef("the target has %d models; name one of them", len(g.sets))
	}
	cp := g.sets[0].Open()
	file, err := shards.Subset(ctx, cp, chosen.Has)
	if err == nil && file.Tensors == 0 {
		err = cli.Usagef("no tensor is left: --exclude matches all that are selected")
	}
	if err != nil {
		cp.Close()
		return g.at.Fault(err)
	}
	g.got.Tensors = file.Tensors
	g.files = []*wanted{{path: "model" + weightsEnd, object: file, from: cp, size: file.Size()}}
	return nil
}

// open opens the files. For a dry run it opens only those whose size is not listed.
func (g *getting) open(ctx context.Context) error {
	err := cli.Parallel(ctx, filesAtOnce, len(g.files), func(_ context.Context, i int) (err error) {
		w := g.files[i]
		size, listed := g.sizes[w.name]
		if w.size = size; w.object != nil || listed && g.dryRun {
			if w.object != nil {
				w.size = w.object.Size()
			}
			return nil
		}
		w.object, err = g.at.Store.Open(ctx, w.name)
		if errors.Is(err, fs.ErrNotExist) && w.set != nil {
			return g.at.Fault(missing(ctx, w, err))
		}
		if err == nil {
			w.size = w.object.Size()
		}
		return err
	})
	if err == nil && len(g.files) == 1 && g.files[0].object != nil {
		if name := store.FileName(g.files[0].object); name != "" && filepath.IsLocal(name) {
			g.files[0].path = name
		}
	}
	return err
}
