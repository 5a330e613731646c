// Package load judges a repository as the programs that package loader lists would load it.
//
// Each judge is a function about one rule or a few. It runs if one of the programs has a need about one of its rules,
// and reports violations with [Repository.Add], which says for which programs they are. Facts that matter to every
// reader are found by package check, and package loader raises their severities.
package load

import (
	"context"
	"fmt"
	"iter"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
)

// A Repository is what the programs find at a target: files, and sets of weights among them.
type Repository struct {
	*tree.Tree               // Sizes is nil if the files cannot be listed, and for a target that is not a folder
	Loaders    []loader.Name // the programs that are to load it
	Ranks      int64         // the number of devices that share each tensor, 0 or 1 if one has them all
	Sets       []*Model

	// JSON returns a configuration file of a folder. It is read once, and faults of its syntax are reported.
	JSON func(ctx context.Context, folder, name string) JSON
}

// A JSON is a configuration file. Root is nil if it is missing or invalid.
type JSON struct {
	config.File
	Path string
	Text []byte
}

// A Model is one set of weights with the configuration beside it.
type Model struct {
	*Repository
	Set    *checkpoint.Set
	Index  *checkpoint.Index // nil if there is none
	Shards []Shard

	*config.Config        // never nil
	ConfigPath     string // of config.json or adapter_config.json; "" if the target is a single file

	Single    bool // the target is one file, and nothing can be missing from it
	Complete  bool // no shard is missing or invalid, as far as is known
	Described bool // the configuration is about this set, and not about another one beside it
	Adapter   bool // most of its tensors belong to an adapter
}

// A Shard is one file of a set. The header is nil if it is not valid.
type Shard struct {
	Path   string
	Header *safetensors.Header
}

// A judge is a function that finds violations of some rules.
type judge struct {
	rules []safetensors.Rule
	of    func(context.Context, *Repository) // judges the files, or nil
	set   func(context.Context, *Model)      // judges each set, or nil
}

// Judge finds what violates the rules that exist only for the loaders of r.
func Judge(ctx context.Context, r *Repository) {
	for _, j := range judges {
		needed := func(rule safetensors.Rule) bool { return len(loader.Needing(rule, r.Loaders)) > 0 }
		if !slices.ContainsFunc(j.rules, needed) || ctx.Err() != nil {
			continue
		}
		if j.of != nil {
			j.of(ctx, r)
		}
		for _, m := range r.Sets {
			if j.set != nil {
				j.set(ctx, m)
			}
		}
	}
}

// For returns those of the given programs that are to load the repository, or all of these if none is given.
func (r *Repository) For(names ...loader.Name) []loader.Name {
	if len(names) == 0 {
		return r.Loaders
	}
	return slices.DeleteFunc(slices.Clone(r.Loaders), func(name loader.Name) bool { return !slices.Contains(names, name) })
}

// A Fault is a violation before it is reported.
type Fault struct {
	Rule   safetensors.Rule
	File   string
	Tensor string           // or ""
	Span   safetensors.Span // of the file
	Fix    string           // instead of the rule's, if not ""
}

// Add reports a fault for those of the given programs that have a need about its rule. The format makes its detail, to
// which package loader appends what these programs do.
func (r *Repository) Add(fault Fault, names []loader.Name, format string, args ...any) {
	names = loader.Needing(fault.Rule, names)
	if len(names) == 0 {
		return
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	found := r.Found(fault.File)
	found.Add(fault.Rule, fault.Tensor, fault.Span, "%s", fmt.Sprintf(format, args...))
	found.For(words)
	if fault.Fix != "" {
		found.Fix(fault.Fix)
	}
}

// Folder returns the folder of the set.
func (m *Model) Folder() string { return tree.FolderOf(m.File()) }

// File returns the file with which faults of the set are reported: its index or its first shard.
func (m *Model) File() string {
	if m.Set.Index == "" && len(m.Set.Shards) > 0 {
		return m.Set.Shards[0]
	}
	return m.Set.Index
}

// Tensors returns the tensors that loaders read, with the path of their file.
func (m *Model) Tensors() iter.Seq2[string, *safetensors.TensorInfo] {
	return func(yield func(string, *safetensors.TensorInfo) bool) {
		for i := range m.Shards {
			h := m.Shards[i].Header
			if h == nil {
				continue
			}
			for t := range h.Tensors {
				if ti := &h.Tensors[t]; !m.isElsewhere(ti.Name, i) && !yield(m.Shards[i].Path, ti) {
					return
				}
			}
		}
	}
}

// isElsewhere reports whether the index assigns a tensor to another shard, or to none.
func (m *Model) isElsewhere(tensor string, shard int) bool {
	if m.Index == nil {
		return false
	}
	e := m.Index.Lookup(tensor)
	return e == nil || path.Join(tree.FolderOf(m.Set.Index), e.Shard) != m.Shards[shard].Path
}
