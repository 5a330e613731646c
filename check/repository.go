// Validate: the parts of a repository, judged one after the other.

package check

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/store"
)

// Options are the options of Validate. The zero Options and nil are the defaults.
type Options struct {
	// Data enables the rules that need the data, which is then read to the end: values that are not finite,
	// zero scales, runs of zeros, and digests.
	Data bool

	// Dir is the local directory of the store, or "" if it is not local. The links in the Hub's cache have the
	// digest of a file in their names, and a store does not show links.
	Dir string

	// Progress, if not nil, is called when data of tensors was read, with the number of bytes read so
	// far and of all tensors, possibly by several goroutines at once.
	Progress func(done, total int64)

	// For lists the programs that are to load the repository. Rules that exist only for them are judged, too, and
	// violations have the severities of [loader.Apply].
	For []loader.Name

	// Ranks is the number of devices over which the programs of For split each tensor, if more than one.
	Ranks int

	// Base, if not nil, returns the sets of the base of an adapter and a name for messages, or no sets if the base is
	// not available. It is called with the folder of the adapter, and with what adapter_config.json says, which may be
	// a path, the name of a repository on the Hub or, if nothing is known, "". Without Base, only the target is
	// searched for the base.
	Base func(ctx context.Context, folder, name string) (string, []*checkpoint.Set)

	// Described, if not nil, is called with the path of each configuration that the tensors of a set are
	// compared with. Fewer rules apply to sets without one.
	Described func(config string)
}

// A repository is what is judged.
type repository struct {
	folder
	opts    Options
	sets    []*checkpoint.Set
	counted map[string]int // the number of counted sets of each folder
	weights []*weights
}

// Validate judges the repository at name in from, whose sets [checkpoint.Discover] found there. It yields a
// report for each file with violations, in the order of paths and without a Header. A violation by a set is
// reported with the shard of the first tensor at fault, or with the set's index or first shard.
//
// An error means that a file could not be read. It comes with the report's File and without a report, and
// Validate continues. When ctx is done, Validate ends with that as the error.
func Validate(ctx context.Context, from store.Store, name string, sets []*checkpoint.Set,
	opts *Options) iter.Seq2[checkpoint.Report, error] {
	return func(yield func(checkpoint.Report, error) bool) {
		r := &repository{folder: folder{tree.Tree{From: from, Path: name}}, sets: sets, counted: make(map[string]int)}
		if opts != nil {
			r.opts = *opts
		}
		r.Dir = r.opts.Dir
		r.judge(ctx)
		if ctx.Err() != nil {
			yield(checkpoint.Report{}, context.Cause(ctx))
			return
		}
		for _, p := range r.Problems {
			if !yield(checkpoint.Report{File: p.File}, p.Err) {
				return
			}
		}
		for _, file := range slices.Sorted(maps.Keys(r.ByFile)) {
			report := loader.Apply(file, r.ByFile[file].Report(), r.opts.For)
			if !yield(checkpoint.Report{File: file, Report: report}, nil) {
				return
			}
		}
	}
}

// judge applies all rules. It ends early when ctx is done.
func (r *repository) judge(ctx context.Context) {
	folders := map[string]bool{r.Path: true}
	whole := true // the target is a folder
	for _, s := range r.sets {
		folders[folderOf(s.Name)] = true
		if s.Counted() {
			r.counted[folderOf(s.Name)]++
		}
		if r.Path == s.Index && r.Path != "" || r.isFile() {
			whole = false
		}
	}
	if whole {
		r.List(ctx)
	}
	r.JudgeLinks()
	r.JudgeInterrupted(folders)
	r.JudgePaths()
	r.JudgeFormats(r.sets)
	r.JudgeFetched(ctx, folders)
	r.JudgeSidecars(ctx)
	r.JudgeRefs(ctx)
	configs := tree.NewConfigReader(&r.Tree)
	for _, set := range r.sets {
		if ctx.Err() != nil {
			return
		}
		m := r.open(ctx, set, configs)
		r.weights = append(r.weights, m)
		m.judge()
		m.judgeTokenizer(ctx, configs)
	}
	r.judgeSeveral()
	r.judgeBases(ctx)
	r.judgeLoading(ctx, configs)
	if r.opts.Data && ctx.Err() == nil {
		r.judgeData(ctx)
	}
}

// open reads the headers and the configuration of a set.
func (r *repository) open(ctx context.Context, set *checkpoint.Set, configs *tree.ConfigReader) *weights {
	m := &weights{subject: subject{folder: &r.folder, set: set, single: r.isFile()}}
	m.open(ctx)
	m.Config = config.New(config.Files{}, new(config.Notes))
	if m.single {
		return m
	}
	m.configure(ctx, configs)
	// With several models in a folder, the configuration is about the one that libraries look for.
	m.described = m.Main.Root != nil && set.Counted() && !isPart(set) &&
		(hasUsualName(set) || r.counted[folderOf(set.Name)] == 1)
	if m.described && r.opts.Described != nil {
		r.opts.Described(m.main.Path)
	}
	return m
}

// isFile reports whether the target is one file, and not a folder or an index.
func (r *repository) isFile() bool {
	return len(r.sets) == 1 && r.sets[0].Index == "" && slices.Equal(r.sets[0].Shards, []string{r.Path})
}

// judgeData reads and judges the data of all sets.
func (r *repository) judgeData(ctx context.Context) {
	d := &dataJudge{progress: r.opts.Progress, read: make(map[string]bool), digested: make(map[string]bool)}
	for _, m := range r.weights {
		d.expect(m)
	}
	for _, m := range r.weights {
		d.judge(ctx, m)
		if ctx.Err() != nil {
			return
		}
	}
	r.judgeCopies(ctx)
	r.JudgeBlobs(ctx, d.digested)
}
