// What sets hold, and whether two hold the same.

package checkpoint

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// The contents of a set are the tensors in it by name, as far as its headers and
// its index tell. Of a tensor that only the index tells of, the entry is nil.
type contents map[string]*safetensors.TensorInfo

// contents reads what the given set holds. A shard that cannot be read counts
// for nothing here: it is reported when it is judged.
func (f *folder) contents(ctx context.Context, s *Set) (contents, error) {
	held := make(contents)
	if s.index != nil {
		for i := range s.index.Tensors {
			held[s.index.Tensors[i].Tensor] = nil
		}
	}
	reads := ahead(ctx, f.opts.Parallel, len(s.Shards), func(ctx context.Context, i int) *knowledge {
		return f.learn(ctx, s.Shards[i])
	})
	for _, k := range reads {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if k == nil || k.header == nil {
			continue
		}
		for i := range k.header.Tensors {
			held[k.header.Tensors[i].Name] = &k.header.Tensors[i]
		}
	}
	return held, nil
}

// learn returns what is known of the shard at path, having read its header if
// need be; nil if that cannot be read.
func (f *folder) learn(ctx context.Context, path string) *knowledge {
	if k := f.recall(path); k != nil {
		return k
	}
	s := newShard(path, f.from, f.opts)
	defer s.close()
	k, err := s.read(ctx)
	if err != nil {
		return nil
	}
	f.remember(path, k)
	return k
}

// recall returns what is known of the shard at path, or nil.
func (f *folder) recall(path string) *knowledge {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[path]
}

func (f *folder) remember(path string, k *knowledge) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[path] = k
}

// sameTensors says whether a and b have nine of ten tensors in common, by name
// and shape. They need not have all: copies differ in tied weights and buffers.
// The dtype may differ, for that is what copies are made for.
func sameTensors(a, b contents) bool {
	least := (max(len(a), len(b))*9 + 9) / 10
	left := len(a) // of which may still be in b
	for name, x := range a {
		if left < least {
			return false // as is soon known of most pairs
		}
		if y, ok := b[name]; !ok || x != nil && y != nil && !slices.Equal(x.Shape, y.Shape) {
			left--
		}
	}
	return left >= least && left > 0
}

// sameShapes says whether a has the tensors of b under other names: nine tenths
// of its elements are in tensors of a shape that b has too, as often, and these
// are at least half of b's. Elements and not tensors are counted, since norms
// and biases are many, and alike in every model of one width.
func sameShapes(a, b contents) bool {
	left := make(map[string]int) // how many tensors of each shape
	var ofA, ofB, common float64
	for _, ti := range b {
		if ti != nil {
			left[ti.ShapeString()]++
			ofB += float64(ti.NumElems())
		}
	}
	for _, ti := range a {
		if ti == nil {
			continue
		}
		ofA += float64(ti.NumElems())
		if shape := ti.ShapeString(); left[shape] > 0 {
			left[shape]--
			common += float64(ti.NumElems())
		}
	}
	return common > 0 && common >= 0.9*ofA && common >= 0.5*ofB
}

// disjoint says whether no tensor is in two of all.
func disjoint(all []contents) bool {
	seen := make(map[string]bool)
	for _, held := range all {
		for name := range held {
			if seen[name] {
				return false
			}
			seen[name] = true
		}
	}
	return true
}

// isAdapter says whether a set is an adapter: by the name that the library PEFT
// gives it, or by those of most of its tensors.
func isAdapter(s *Set, held contents) bool {
	if strings.HasPrefix(stem(s.file()), "adapter_model") {
		return true
	}
	n := 0
	for name := range held {
		if strings.Contains(name, "lora_") || strings.Contains(name, ".lora.") {
			n++
		}
	}
	return n*2 > len(held)
}

// mayBeRenamed says whether a set may be a copy whose tensors have other names,
// as the weights of Llama and Mistral have in the form of their makers.
func mayBeRenamed(s *Set) bool {
	below, _ := cutFolder(folderOf(s.file()), s.found.path)
	for dir := range strings.SplitSeq(below, "/") {
		if dir == "original" {
			return true
		}
	}
	return strings.HasPrefix(stem(s.file()), "consolidated")
}

// stem returns the name of an index or a shard without folder, number and
// suffix, but with its variant: "model.fp16" of "model.fp16-00001-of-00002" and
// of "model-00001-of-00002.fp16".
func stem(name string) string {
	base := path.Base(name)
	if stem, ok := cutIndex(base); ok {
		return stem
	}
	if n, _, ok := numbered(base); ok {
		_, after, _ := cutLast(n.suffix, "-of-")
		base = n.prefix[:len(n.prefix)-1] + strings.TrimLeft(after, "0123456789")
	}
	return strings.TrimSuffix(base, weightsSuffix)
}

// A rank says how likely a set is to be the model rather than a copy of it, by
// its name. Less is likelier.
func rank(s *Set) int {
	name := stem(s.file())
	n := 0
	switch {
	case strings.HasPrefix(name, "adapter_model"):
		n = 4
	case strings.HasPrefix(name, "consolidated"):
		n = 2
	}
	if strings.Contains(name, ".") {
		n++ // a variant
	}
	return n
}
