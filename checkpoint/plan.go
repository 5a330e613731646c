// Which shard each tensor will be in, and what the shards will be called.

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/weightools/safetensors"
)

// A plan is a checkpoint that has yet to be written.
type plan struct {
	stem   string
	shards [][]*safetensors.Tensor
	names  []string // of the shards, and then of the index if there is one
	index  []byte   // nil if there is one shard
}

// plan returns the checkpoint that the tensors make, if every rule allows it.
// It reads none of them.
func (w *Writer) plan(tensors []*safetensors.Tensor) (*plan, error) {
	p := &plan{stem: w.Stem}
	if p.stem == "" {
		p.stem = "model"
	}
	if fault := stemFault(p.stem); fault != "" {
		return nil, fmt.Errorf("checkpoint: Writer.Stem is %s, which %s: it is what names of files begin with, like \"model\"", quote(p.stem), fault)
	}
	if w.MaxShard < 0 {
		return nil, fmt.Errorf("checkpoint: Writer.MaxShard is %d bytes, and a positive number is due, or 0 for no limit", w.MaxShard)
	}
	if err := distinct(tensors); err != nil {
		return nil, err
	}
	p.shards = split(tensors, w.MaxShard)
	x := Index{TotalParameters: -1, Tensors: make([]IndexEntry, 0, len(tensors))}
	for i, shard := range p.shards {
		if _, err := w.Encoder.Plan(shard...); err != nil {
			return nil, err
		}
		name := shardName(p.stem, i+1, len(p.shards))
		p.names = append(p.names, name)
		for _, t := range shard {
			x.TotalSize += t.Size()
			x.Tensors = append(x.Tensors, IndexEntry{Tensor: t.Name, Shard: name})
		}
	}
	if len(p.shards) == 1 {
		return p, nil
	}
	p.names = append(p.names, indexOf(p.stem))
	var err error
	p.index, err = x.AppendText(nil)
	return p, err
}

// stemFault returns what makes a stem one that no file's name begins with, or "".
// A name that begins with a dot is one that readers of folders pass over.
func stemFault(stem string) string {
	switch {
	case strings.Contains(stem, "/"):
		return "has a slash"
	case strings.HasPrefix(stem, "."):
		return "begins with a dot"
	}
	return pathFault(stem + weightsSuffix)
}

// distinct returns why tensors are not of distinct names, or nil. An Encoder would
// say so, too, but it sees one shard at a time.
func distinct(tensors []*safetensors.Tensor) error {
	seen := make(map[string]bool, len(tensors))
	for i, t := range tensors {
		switch {
		case t == nil:
			return fmt.Errorf("checkpoint: of the tensors to write, that at index %d is nil", i)
		case seen[t.Name]:
			return &safetensors.Violation{Rule: safetensors.RuleDuplicateName, Tensor: t.Name,
				Detail: fmt.Sprintf("two of the tensors to write are called %s", quote(t.Name))}
		}
		seen[t.Name] = true
	}
	return nil
}

// split deals tensors out to shards, of which there is at least one, as the
// function split_state_dict_into_shards_factory of the library huggingface_hub
// does. A shard ends where the next tensor would take it past limit bytes. One
// that is larger by itself has a shard of its own, which stands before the one
// that is being filled then, and does not end that.
func split(tensors []*safetensors.Tensor, limit int64) [][]*safetensors.Tensor {
	if limit == 0 {
		limit = math.MaxInt64
	}
	var shards [][]*safetensors.Tensor
	var filling []*safetensors.Tensor
	var size int64 // of what is in filling, and at most limit
	for _, t := range tensors {
		if t.Size() > limit {
			shards = append(shards, []*safetensors.Tensor{t})
			continue
		}
		if t.Size() > limit-size {
			shards = append(shards, filling)
			filling, size = nil, 0
		}
		filling = append(filling, t)
		size += t.Size()
	}
	if len(filling) > 0 || len(shards) == 0 {
		shards = append(shards, filling)
	}
	return shards
}

// shardName returns the name of shard number n, counted from 1. Numbers have
// five digits, and more only where they do not fit, as huggingface_hub has it:
// the first of 100,000 is model-00001-of-100000.safetensors.
func shardName(stem string, n, of int) string {
	if of == 1 {
		return stem + weightsSuffix
	}
	return fmt.Sprintf("%s-%05d-of-%05d%s", stem, n, of, weightsSuffix)
}

func indexOf(stem string) string { return stem + weightsSuffix + ".index.json" }

// leftOver returns which files of the stem would stand in dir beside those of the
// plan: an index first, since without it nobody looks for its shards.
func (p *plan) leftOver(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	stays := make(map[string]bool)
	for _, name := range p.names {
		stays[name] = true
	}
	var left []string
	for _, e := range entries {
		switch name := e.Name(); {
		case stays[name] || e.IsDir():
		case name == indexOf(p.stem):
			left = append([]string{name}, left...)
		case p.isShard(name):
			left = append(left, name)
		}
	}
	return left, nil
}

// isShard says whether a name is that of a shard of the stem, of however many.
// What is called model-00001-of-00002.fp16.safetensors is of another model.
func (p *plan) isShard(name string) bool {
	f, _, ok := numbered(name)
	return name == p.stem+weightsSuffix ||
		ok && f.prefix == p.stem+"-" && strings.Count(f.suffix, ".") == 1
}
