// Validate: the parts of a repository, judged one after the other.

package check

import (
	"context"
	"iter"
	"maps"
	"path"
	"slices"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// Options are the choices of Validate. The zero Options, and nil, are the defaults.
type Options struct {
	// Data asks for the rules that need the data, which then is read to its end:
	// numbers that are not finite, scales of zero, stretches of zeros, and digests.
	Data bool

	// Dir is the local directory that the store is of, "" if it is of none. The
	// links in it are looked up, since those of the Hub's cache have the digest of
	// a file in their names, which a store does not tell.
	Dir string

	// Progress, if it is not nil, is called with the size of each tensor that was
	// read, by several goroutines at once.
	Progress func(bytes int64)

	// Described, if it is not nil, is called with the path of each configuration by
	// which the tensors of a set are judged: of those that have none, or one that is
	// broken or of another set, less can be said.
	Described func(config string)
}

// A repository is what is being judged.
type repository struct {
	from store.Store
	path string // that of the target: a folder, an index or a file; "" is the root
	sets []*checkpoint.Set
	opts Options

	folder  bool             // the target is a folder, so that all of it is judged
	sizes   map[string]int64 // of the files that were listed, by path; nil if none were
	names   []string         // the same paths, in order
	counted map[string]int   // how many sets of a folder are counted
	configs map[string]*config
	models  []*weights

	findings map[string]*checkpoint.Findings // by file
	problems []problem
}

// A problem is what could not be read.
type problem struct {
	file string
	err  error
}

// Validate judges the repository at name in from, whose sets [checkpoint.Discover]
// has found there. It yields a report for each file at fault, by path and without a
// Header. A fault of a set is reported with the shard of the first tensor that has
// it, or with the set's index or first shard.
//
// An error is of reading: it comes with the report's File, and without a report, and
// Validate goes on. Once ctx is done it ends with that as the error.
func Validate(ctx context.Context, from store.Store, name string, sets []*checkpoint.Set, opts *Options) iter.Seq2[checkpoint.Report, error] {
	return func(yield func(checkpoint.Report, error) bool) {
		r := &repository{
			from: from, path: name, sets: sets, counted: make(map[string]int), configs: make(map[string]*config), findings: make(map[string]*checkpoint.Findings),
		}
		if opts != nil {
			r.opts = *opts
		}
		r.judge(ctx)
		if ctx.Err() != nil {
			yield(checkpoint.Report{}, context.Cause(ctx))
			return
		}
		for _, p := range r.problems {
			if !yield(checkpoint.Report{File: p.file}, p.err) {
				return
			}
		}
		for _, file := range slices.Sorted(maps.Keys(r.findings)) {
			if !yield(checkpoint.Report{File: file, Report: r.findings[file].Report()}, nil) {
				return
			}
		}
	}
}

// judge judges all there is. It ends early once ctx is done.
func (r *repository) judge(ctx context.Context) {
	r.folder = !slices.ContainsFunc(r.sets, func(s *checkpoint.Set) bool { return r.path == s.Index && r.path != "" || r.isFile() })
	for _, s := range r.sets {
		if s.Counted() {
			r.counted[folderOf(s.Name)]++
		}
	}
	r.list(ctx)
	r.judgeNames()
	r.judgeFetched(ctx)
	r.judgeRefs(ctx)
	for _, set := range r.sets {
		if ctx.Err() != nil {
			return
		}
		m := r.weights(ctx, set)
		r.models = append(r.models, m)
		m.judge()
	}
	if r.opts.Data && ctx.Err() == nil {
		r.judgeData(ctx)
	}
}

// isFile says whether the target is one file, and neither a folder nor an index.
func (r *repository) isFile() bool {
	return len(r.sets) == 1 && r.sets[0].Index == "" && slices.Equal(r.sets[0].Shards, []string{r.path})
}

// list finds out which files there are, if the target is a folder and the store can
// say. What cannot be looked at was told when the folder was sorted.
func (r *repository) list(ctx context.Context) {
	lister, ok := r.from.(store.Lister)
	if !ok || !r.folder {
		return
	}
	r.sizes = make(map[string]int64)
	for e, err := range lister.List(ctx, r.path) {
		if err != nil {
			continue
		}
		r.sizes[e.Name] = e.Size
		r.names = append(r.names, e.Name)
	}
}

// has says whether there is a file of that path, as far as is known.
func (r *repository) has(name string) bool {
	_, ok := r.sizes[name]
	return ok
}

// found records that a rule is broken by a file.
func (r *repository) found(file string) *checkpoint.Findings {
	f := r.findings[file]
	if f == nil {
		f = &checkpoint.Findings{Rules: rules[:]}
		r.findings[file] = f
	}
	return f
}

// failed records that a file could not be read.
func (r *repository) failed(file string, err error) {
	r.problems = append(r.problems, problem{file, err})
}

// folderOf returns the folder of a path, "" if that is the root of the store.
func folderOf(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}
