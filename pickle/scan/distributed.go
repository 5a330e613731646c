// Metadata of distributed checkpoints of PyTorch, which says where in other files the values are.

package scan

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// A slice is a range of a file that a loader reads as a checkpoint of its own, and executes if it is no tensor.
type slice struct{ offset, length int64 }

// slicesOf examines the ranges that the metadata of a distributed checkpoint refers to. PyTorch writes one after another,
// so that they fill a file; any other range can be a pickle that is hidden in tensor data or in another file.
func (p *part) slicesOf(g *pickle.Graph) error {
	files := make(map[string][]slice)
	for c := range g.Results() {
		if module, name, _ := c.Callee().Global(); name != "_StorageInfo" || !strings.HasPrefix(module, "torch.") {
			continue
		}
		if !p.spend(costVerdict) {
			p.overWork(0)
			return nil
		}
		state, _ := c.State()
		name, s, ok := sliceOf(state)
		switch {
		case !ok || c.Args().Len() > 0:
			p.find(RuleBadOffset, c.Offset(), "the position of a value of a distributed checkpoint is not as PyTorch writes it")
		case strings.ContainsAny(name, `/\:`) || extensionOf(name) != ".distcp":
			p.find(RuleUnsafeName, c.Offset(), "a value of a distributed checkpoint is in %s, which is no shard in its folder",
				quoted(name))
		default:
			files[name] = append(files[name], s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := p.filled(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// sliceOf returns the range that the state of a _StorageInfo describes, and the name of the file.
func sliceOf(state pickle.Value) (name string, s slice, ok bool) {
	s = slice{-1, -1}
	named := false
	for k, v := range state.Pairs() {
		switch key, _ := k.Str(); key {
		case "relative_path":
			name, named = v.Str()
		case "offset":
			s.offset, _ = v.Int()
		case "length":
			s.length, _ = v.Int()
		}
	}
	return name, s, named && s.offset >= 0 && s.length > 0
}

// filled reports ranges of a file that leave a gap or overlap, or that are not the archives of the file.
func (p *part) filled(name string, list []slice) error {
	slices.SortFunc(list, func(a, b slice) int { return cmp.Compare(a.offset, b.offset) })
	end := int64(0)
	for _, s := range list {
		if s.offset != end {
			p.find(RuleBadOffset, 0, "the values of a distributed checkpoint do not fill %s: one is at byte %d, not at %d",
				quoted(name), s.offset, end)
			return nil
		}
		end += s.length
	}
	if p.Beside == nil || p.within != nil {
		return nil
	}
	r, size, err := p.Beside(name)
	if r == nil || err != nil {
		return err
	}
	defer r.Close()
	spans, err := zipwalk.Row(r, size, p.MaxMembers)
	if err != nil {
		return err
	}
	ends := make(map[int64]bool, len(spans)+1)
	ends[size] = true
	for _, span := range spans {
		p.spend(costPart)
		ends[span.End] = true
	}
	end = 0
	for _, s := range list {
		if end += s.length; !ends[end] {
			p.find(RuleBadOffset, 0, "a value of a distributed checkpoint ends at byte %d of %s, where no archive ends", end,
				quoted(name))
			return nil
		}
	}
	return nil
}

// A File is a file beside the one that is scanned.
type File interface {
	io.ReaderAt
	io.Closer
}
