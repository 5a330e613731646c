// The tensors of sets, and whether two sets have the same.

package checkpoint

import (
	"context"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/bytesio"
)

// The contents of a set are its tensors by name. The entry of a tensor that is known only from the
// index is nil. Tensors that the index does not list are left out: several indexes may name the
// same shards.
type contents map[string]*safetensors.TensorInfo

// contents reads the contents of a set. A shard that cannot be read is ignored here, and reported
// by Validate.
func (f *folder) contents(ctx context.Context, s *Set) (contents, error) {
	headers := make([]*safetensors.Header, len(s.Shards))
	reads := bytesio.Ahead(ctx, f.opts.Parallel, len(s.Shards), func(ctx context.Context, i int) *shard.Knowledge {
		return f.learn(ctx, s.Shards[i])
	})
	for i, k := range reads {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if k != nil {
			headers[i] = k.Header
		}
	}
	if s.index != nil {
		return s.listed(headers), nil
	}
	held := make(contents)
	for _, h := range headers {
		for i := 0; h != nil && i < len(h.Tensors); i++ {
			held[h.Tensors[i].Name] = &h.Tensors[i]
		}
	}
	return held, nil
}

// listed returns the contents of a set with an index. Headers of shards that could not be read are
// nil.
func (s *Set) listed(headers []*safetensors.Header) contents {
	held := make(contents, len(s.index.Tensors))
	for i := range s.index.Tensors {
		e := &s.index.Tensors[i]
		held[e.Tensor] = nil
		if home := s.home(e.Shard); home >= 0 && headers[home] != nil {
			held[e.Tensor] = headers[home].Lookup(e.Tensor)
		}
	}
	return held
}

// learn returns what is known of the shard at path, nil if it cannot be read. It reads the header
// if need be.
func (f *folder) learn(ctx context.Context, path string) *shard.Knowledge {
	if k := f.recall(path); k != nil {
		return k
	}
	s := shard.New(path, f.from, f.shards, nil)
	defer s.Close()
	k, err := s.Read(ctx)
	if err != nil {
		return nil
	}
	f.remember(path, k)
	return k
}

// recall returns what is known of the shard at path, or nil.
func (f *folder) recall(path string) *shard.Knowledge {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[path]
}

func (f *folder) remember(path string, k *shard.Knowledge) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[path] = k
}

// sameTensors reports whether a and b have nine in ten tensors in common. Copies differ in tied
// weights and buffers.
func sameTensors(a, b contents) bool {
	least := (max(len(a), len(b))*9 + 9) / 10
	return least > 0 && min(len(a), len(b)) >= least && inCommon(a, b) >= least
}

// inCommon returns how many tensors a and b have in common, by name and shape. Dtypes may differ,
// since copies are made to change them.
func inCommon(a, b contents) int {
	n := 0
	for name, x := range a {
		if y, ok := b[name]; ok && (x == nil || y == nil || slices.Equal(x.Shape, y.Shape)) {
			n++
		}
	}
	return n
}

// Shapes counts tensors by shape.
type shapes map[string]shaped

// A shaped is the tensors of one shape.
type shaped struct {
	n     int     // number of tensors
	elems float64 // elements of each
}

func shapesOf(held contents) shapes {
	all := make(shapes)
	for _, ti := range held {
		if ti != nil {
			shape := ti.ShapeString()
			all[shape] = shaped{all[shape].n + 1, float64(ti.NumElems())}
		}
	}
	return all
}

// sameShapes reports whether a has the tensors of b under other names: nine tenths of its elements
// are in tensors of a shape that b has as often, and these are at least half of b's elements. It
// counts elements and not tensors, because norms and biases are many and have the same shape in
// all models of one width.
func sameShapes(a, b shapes) bool {
	var ofA, ofB, common float64
	for _, y := range b {
		ofB += float64(y.n) * y.elems
	}
	for shape, x := range a {
		ofA += float64(x.n) * x.elems
		common += float64(min(x.n, b[shape].n)) * x.elems
	}
	return common > 0 && common >= 0.9*ofA && common >= 0.5*ofB
}

// disjoint reports whether no tensor is in two of the contents.
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

// isAdapter reports whether a set is an adapter, by the file name that the library PEFT uses, or
// by the names of most of its tensors.
func isAdapter(s *Set, held contents) bool {
	if strings.HasPrefix(naming.Stem(s.file()), "adapter_model") {
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

// rank returns how likely a set is the model rather than a copy, by its name. Lower is likelier.
func rank(s *Set) int {
	name := naming.Stem(s.file())
	n := 0
	switch {
	case strings.HasPrefix(name, "adapter_model"):
		n = 4
	case strings.HasPrefix(name, "consolidated"):
		n = 2
	}
	if _, variant := naming.CutVariant(name); variant != "" {
		n++
	}
	return n
}
