// Package distributed reads the metadata of distributed checkpoints of PyTorch, which says where in other files the
// values are.
package distributed

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
)

// A Slice is a range of a file that a loader reads as a separate checkpoint, and executes if it is not a tensor.
type Slice struct {
	File           string
	Offset, Length int64
}

// Results returns the results of a pickle: none if it is cut off, because then loaders get nothing.
func Results(g *pickle.Graph) iter.Seq[pickle.Result] {
	if list := g.Report.Streams; len(list) == 0 || !list[0].Stopped {
		return func(func(pickle.Result) bool) {}
	}
	return g.Results()
}

// Of returns the slice that a result describes. Is is false if the result is something else, and ok is false if it is
// not as PyTorch writes it.
func Of(c pickle.Result) (s Slice, is, ok bool) {
	if module, name, _ := c.Callee().Global(); name != "_StorageInfo" || !strings.HasPrefix(module, "torch.") {
		return s, false, false
	}
	state, _ := c.State()
	s, named := Slice{Offset: -1, Length: -1}, false
	for k, v := range state.Pairs() {
		switch key, _ := k.Str(); key {
		case "relative_path":
			s.File, named = v.Str()
		case "offset":
			s.Offset, _ = v.Int()
		case "length":
			s.Length, _ = v.Int()
		}
	}
	return s, true, named && s.Offset >= 0 && s.Length > 0 && c.Args().Len() == 0
}

// IsShard reports whether the slice is in a shard in the folder of the metadata.
func (s *Slice) IsShard() bool {
	return !strings.ContainsAny(s.File, `/\:`) && promise.Extension(s.File) == ".distcp"
}

// Fill sorts slices of one file, and returns the index of the first that leaves a gap or overlaps, or -1: PyTorch
// writes one after another.
func Fill(list []Slice) int {
	slices.SortFunc(list, func(a, b Slice) int { return cmp.Compare(a.Offset, b.Offset) })
	end := int64(0)
	for i := range list {
		if list[i].Offset != end {
			return i
		}
		end += list[i].Length
	}
	return -1
}
