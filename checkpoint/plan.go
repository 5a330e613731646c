// Which shard each tensor will be in, and what the shards will be called.

package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"strings"

	"github.com/weightools/safetensors"
)

// A Plan is a checkpoint that has yet to be written to a folder, and what is in its
// way there. [Plan.Write] writes it.
type Plan struct {
	Shards []PlannedShard // at least one

	// Index is the name of the index, and IndexSize its size in bytes. One shard
	// needs no index: then they are "" and 0.
	Index     string
	IndexSize int64

	// Replaced are the names among these that the folder has already. Left are the
	// other files of the stem there, an index first: what [Writer.Replace] removes,
	// and what keeps Write from writing without it.
	Replaced, Left []string

	w    *Writer
	dir  string
	stem string
	text []byte // of the index
}

// A PlannedShard is one shard of a Plan.
type PlannedShard struct {
	Name    string
	Size    int64                 // of the file, in bytes
	Tensors []*safetensors.Tensor // in the order in which they were given
}

// Plan returns what Write would write to dir, if every rule allows it. It looks at
// the names in the folder, reads no tensor, and changes nothing. The Writer must not
// be changed until the plan is written, or given up.
func (w *Writer) Plan(dir string, tensors ...*safetensors.Tensor) (*Plan, error) {
	p, err := w.plan(dir, tensors)
	if err != nil {
		return nil, err
	}
	return p, p.look()
}

// plan is Plan without a look at the folder.
func (w *Writer) plan(dir string, tensors []*safetensors.Tensor) (*Plan, error) {
	p := &Plan{w: w, dir: dir, stem: w.Stem}
	if p.stem == "" {
		p.stem = "model"
	}
	if fault := stemFault(p.stem); fault != "" {
		return nil, fmt.Errorf("checkpoint: the stem %s %s: it is what names of files begin with, like \"model\"", quote(p.stem), fault)
	}
	if w.MaxShard < 0 {
		return nil, fmt.Errorf("checkpoint: Writer.MaxShard is %d bytes, and a positive number is due, or 0 for no limit", w.MaxShard)
	}
	if err := distinct(tensors); err != nil {
		return nil, err
	}
	shards, err := w.deal(tensors)
	if err != nil {
		return nil, err
	}
	for i, shard := range shards {
		h, err := w.Encoder.Plan(shard...)
		if err != nil {
			return nil, err
		}
		one := PlannedShard{Name: shardName(p.stem, i+1, len(shards)), Size: h.DataStart(), Tensors: shard}
		for _, t := range shard {
			one.Size += t.Size()
		}
		p.Shards = append(p.Shards, one)
	}
	if len(shards) == 1 {
		return p, nil
	}
	return p, p.makeIndex()
}

// makeIndex makes the index of the shards.
func (p *Plan) makeIndex() (err error) {
	x := Index{TotalParameters: -1, Metadata: maps.Clone(p.w.IndexMetadata)}
	const claim = "total_parameters" // which has a field of its own
	if n, ok := whole([]byte(x.Metadata[claim])); ok {
		x.TotalParameters = n
	}
	delete(x.Metadata, claim)
	for i := range p.Shards {
		for _, t := range p.Shards[i].Tensors {
			x.TotalSize += t.Size()
			x.Tensors = append(x.Tensors, IndexEntry{Tensor: t.Name, Shard: p.Shards[i].Name})
		}
	}
	p.text, err = x.AppendText(nil)
	p.Index, p.IndexSize = indexOf(p.stem), int64(len(p.text))
	return err
}

// names returns the names of all files, that of the index last.
func (p *Plan) names() []string {
	var names []string
	for i := range p.Shards {
		names = append(names, p.Shards[i].Name)
	}
	if p.Index != "" {
		names = append(names, p.Index)
	}
	return names
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
	return pathFault(stem+weightsSuffix, []string{weightsSuffix})
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
			return violation(nil, safetensors.RuleDuplicateName, t.Name, safetensors.Span{},
				fmt.Sprintf("two of the tensors to write are called %s", quote(t.Name)))
		}
		seen[t.Name] = true
	}
	return nil
}

// deal deals tensors out to shards, of which there is at least one.
func (w *Writer) deal(tensors []*safetensors.Tensor) ([][]*safetensors.Tensor, error) {
	if w.Split == nil {
		return split(tensors, w.MaxShard), nil
	}
	var shards [][]*safetensors.Tensor
	rest := tensors
	for _, n := range w.Split {
		if n < 0 || n > len(rest) {
			break
		}
		shards, rest = append(shards, rest[:n:n]), rest[n:]
	}
	if len(rest) > 0 || len(shards) < len(w.Split) || len(shards) == 0 {
		return nil, fmt.Errorf("checkpoint: Writer.Split is %v, which does not add up to the %s to write", w.Split, count(len(tensors), "tensor"))
	}
	return shards, nil
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

// look finds what the folder has of the stem. An index comes first, since without it
// nobody looks for its shards.
func (p *Plan) look() error {
	p.Replaced, p.Left = nil, nil
	entries, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	written := make(map[string]bool)
	for _, name := range p.names() {
		written[name] = true
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case written[name]:
			p.Replaced = append(p.Replaced, name)
		case e.IsDir():
		case name == indexOf(p.stem):
			p.Left = append([]string{name}, p.Left...)
		case p.isShard(name):
			p.Left = append(p.Left, name)
		}
	}
	return nil
}

// isShard says whether a name is that of a shard of the stem, of however many.
// What is called model-00001-of-00002.fp16.safetensors is of another model.
func (p *Plan) isShard(name string) bool {
	f, _, ok := numbered(name)
	return name == p.stem+weightsSuffix ||
		ok && f.prefix == p.stem+"-" && strings.Count(f.suffix, ".") == 1 && strings.HasSuffix(name, weightsSuffix)
}
