// Tensors that share bytes, and tensors that the index does not list.

package convert

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// share applies Conversion.Shared.
func (p *Plan) share() error {
	index := make(map[*safetensors.Tensor]int) // by the tensors of the sources
	n := 0
	for _, s := range p.Sources {
		for _, t := range s.cp.Tensors {
			index[t] = n
			n++
		}
	}
	gone := make(map[int]bool)
	for _, s := range p.Sources {
		for _, sharing := range s.cp.Shared() {
			var names []string
			for i, t := range sharing.Tensors {
				own, kept := index[t], index[sharing.SameAs[i]]
				name := p.Tensors[own].Name
				if p.c.Shared == Drop && own != kept {
					gone[own] = true
					p.Dropped = append(p.Dropped, Dropped{name, p.Tensors[kept].Name})
					continue
				}
				names = append(names, name)
			}
			if p.c.Shared == Refuse {
				return s.fault(fmt.Errorf("%s and %s share bytes", wording.Quote(names[0]), wording.Quote(names[1])))
			}
			if len(names) > 1 {
				p.Shared = append(p.Shared, names)
			}
		}
	}
	p.drop(gone)
	return nil
}

// drop removes tensors, and records them in the metadata.
func (p *Plan) drop(gone map[int]bool) {
	if len(gone) == 0 {
		return
	}
	for _, d := range p.Dropped {
		// A name that the metadata already has is only reported.
		if _, taken := p.metadata[d.Name]; !taken {
			p.metadata[d.Name] = d.Kept
		}
	}
	left := p.Tensors[:0]
	for i, t := range p.Tensors {
		if !gone[i] {
			left = append(left, t)
		}
	}
	p.Tensors = left
}

// againstIndex compares the index with the tensors. A tensor that is missing, or in two
// shards, is an error: the index is ambiguous.
func (p *Plan) againstIndex(l *located) error {
	if l.index == nil {
		return nil
	}
	in := make(map[string]int, len(p.Tensors)) // the source of each tensor
	for _, t := range p.Tensors {
		if other, twice := in[t.Was]; twice {
			return &SourceError{l.from, fmt.Errorf("tensor %s is in %s and in %s", wording.Quote(t.Was),
				wording.Quote(p.Sources[other].Path), wording.Quote(p.Sources[t.Source].Path))}
		}
		in[t.Was] = t.Source
	}
	elsewhere, leftOut := 0, p.leftOut()
	for _, e := range l.index.Tensors {
		i, ok := in[e.Tensor]
		if !ok && !leftOut[e.Tensor] {
			return &SourceError{l.from, fmt.Errorf("tensor %s should be in %s, and is in no shard",
				wording.Quote(e.Tensor), wording.Quote(e.Shard))}
		}
		if ok && !isShard(p.Sources[i].Path, e.Shard) {
			elsewhere++
		}
		delete(in, e.Tensor)
	}
	if elsewhere > 0 {
		p.Warnings = append(p.Warnings, wording.Count(elsewhere,
			"tensor")+" in another shard than the index says; the new index is correct")
	}
	if len(in) > 0 {
		p.Warnings = append(p.Warnings, wording.Count(len(in),
			"tensor")+" missing in the index; the new index lists them")
	}
	return nil
}

// leftOut returns the names of the tensors that were left out because safetensors cannot represent them.
func (p *Plan) leftOut() map[string]bool {
	names := make(map[string]bool)
	for _, s := range p.Sources {
		for i := range s.Skipped {
			if s.Skipped[i].Unsupported {
				names[strings.TrimPrefix(s.Skipped[i].Path, s.Root+".")] = true
			}
		}
	}
	return names
}

// isShard reports whether path is the path of the shard.
func isShard(path, shard string) bool { return path == shard || strings.HasSuffix(path, "/"+shard) }
