// Patterns: which files of a folder programs open that look for names and not only at an index.

package load

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
)

// A pattern is a way in which a program finds weights: all files with a beginning and an end.
type pattern struct{ begin, end string }

func (p pattern) match(base string) bool {
	return strings.HasPrefix(base, p.begin) && strings.HasSuffix(base, p.end)
}

// patterns are those of programs that read every file that matches. Of several, the first counts that any file
// matches.
var patterns = map[loader.Name][]pattern{
	loader.LlamaCPP: {{"model", ".safetensors"}, {"pytorch_model", ".bin"}},
	loader.MLX:      {{"model", ".safetensors"}},
	loader.Ollama: {{"model", ".safetensors"}, {"consolidated", ".safetensors"}, {"pytorch_model", ".bin"},
		{"consolidated", ".pth"}, {"", ".gguf"}, {"", ".bin"}},
}

// judgePatterns reports weights that match no pattern, and tensors that several matching files have.
func judgePatterns(_ context.Context, r *Repository) {
	if r.Sizes == nil {
		return
	}
	for _, m := range r.mains() {
		for _, of := range m.For(loader.LlamaCPP, loader.MLX, loader.Ollama) {
			m.judgePattern(of)
		}
	}
}

func (m *Model) judgePattern(of loader.Name) {
	names := m.In(m.Folder())
	if of == loader.LlamaCPP && slices.ContainsFunc(names, func(name string) bool {
		return name == indexName || name == "pytorch_model.bin.index.json"
	}) {
		return // it reads the files that the index names
	}
	for _, p := range patterns[of] {
		if slices.ContainsFunc(names, p.match) {
			m.judgeMixed(of, p)
			return
		}
	}
	if !slices.ContainsFunc(m.Shards, func(s Shard) bool { return s.Header != nil }) {
		return // the files of the index are missing, which is reported
	}
	fault := Fault{Rule: rule.WeightsNotFound, File: m.File()}
	fault.convert()
	m.Add(fault, m.For(of),
		"the weights are in %s, and no file is called %s", wording.Quote(path.Base(m.Set.Name)), patterns[of][0].words())
}

// words returns a pattern as a glob.
func (p pattern) words() string { return p.begin + "*" + p.end }

// judgeMixed reports sets whose files a program reads as one although they have tensors in common.
func (m *Model) judgeMixed(of loader.Name, p pattern) {
	var read []*Model
	for _, other := range m.Sets {
		if other.Folder() == m.Folder() && slices.ContainsFunc(other.Shards, func(s Shard) bool {
			return s.Header != nil && p.match(path.Base(s.Path))
		}) {
			read = append(read, other)
		}
	}
	if len(read) < 2 {
		return
	}
	seen := make(map[string]string) // the file of a tensor
	type pair struct{ first, second string }
	var common pair
	n, tensor := 0, ""
	for _, other := range read {
		for file, ti := range other.Tensors() {
			if !p.match(path.Base(file)) {
				continue
			}
			first, twice := seen[ti.Name]
			if twice && tree.FolderOf(first) == m.Folder() && !sameSet(other, first) {
				if n++; n == 1 {
					common, tensor = pair{first, file}, ti.Name
				}
			}
			seen[ti.Name] = cmp.Or(first, file)
		}
	}
	if n == 0 {
		return
	}
	m.Add(Fault{Rule: rule.WeightsTwice, File: common.second, Tensor: tensor,
		Fix: "Keep one of the two in the folder, and move the other to a folder of its own."}, m.For(of),
		"%s and %s both match %s, and have %s in common", wording.Quote(path.Base(common.first)),
		wording.Quote(path.Base(common.second)), p.words(), wording.Count(n, "tensor"))
}

// sameSet reports whether a file is one of a set's.
func sameSet(m *Model, file string) bool {
	return slices.ContainsFunc(m.Shards, func(s Shard) bool { return s.Path == file })
}
