// Plans: the files to write, and the files in their way.

package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/wording"
)

// A Plan is a set of files that has yet to be written to a folder. It can be
// inspected, which is a dry run, and then written with [Plan.Write].
type Plan struct {
	Dir    string         // the folder that will be written to
	Shards []PlannedShard // at least one

	// Index is the name of the index, and IndexSize its size in bytes. One shard
	// needs no index: then they are "" and 0.
	Index     string
	IndexSize int64

	// Replaced lists the names among these that the folder already has. Stale lists
	// the other files of the same model there, its index first, which would pass for
	// a part of the new one: Write removes them, too. Either makes Write fail unless
	// Writer.Overwrite is set.
	Replaced, Stale []string

	// Beside are staged files, which are renamed together with the weights if they are in the same
	// folder. nil means that there are none.
	Beside *Companions

	output
	stem   string                         // "" if the names of shards are the caller's
	remove []string                       // the names of stale files, if they are the caller's
	text   []byte                         // of the index
	from   map[*safetensors.Tensor]string // the input file of each tensor; nil if unknown
}

// A PlannedShard is one shard of a Plan. Planning sets the sizes.
type PlannedShard struct {
	Name    string
	Encoder safetensors.Encoder
	Tensors []*safetensors.Tensor

	Size       int64 // of the file, in bytes
	HeaderSize int64 // of the header, in bytes
}

// An output says how a plan is written.
type output struct {
	overwrite, verify, digests bool
	inputs                     *fileSet

	progress func(done, total int64)
	crc32    func(*safetensors.Tensor) (sum uint32, ok bool)
	inspect  func(ctx context.Context, was, is *safetensors.Tensor) error
	hold     func() (release func(), err error) // called before files are renamed into place
	recheck  func(*Plan) error                  // called after that, once the folder was looked at again; may be nil
}

// planShard plans one file.
func planShard(name string, e *safetensors.Encoder, tensors []*safetensors.Tensor) (PlannedShard, error) {
	h, err := e.Plan(tensors...)
	if err != nil {
		return PlannedShard{}, err
	}
	return PlannedShard{name, *e, tensors, h.DataStart() + dataSize(tensors), h.Size}, nil
}

// dataSize returns the size of tensors in bytes.
func dataSize(tensors []*safetensors.Tensor) (n int64) {
	for _, t := range tensors {
		n += t.Size()
	}
	return n
}

// Size returns the number of bytes that Write will write.
func (p *Plan) Size() int64 {
	n := p.IndexSize
	for i := range p.Shards {
		n += p.Shards[i].Size
	}
	return n
}

// names returns the names of all files, the index last.
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

// look finds the files in the folder that are replaced or stale. An index comes
// first: without it, readers do not find its shards.
func (p *Plan) look() error {
	if err := Unfinished(p.Dir); err != nil {
		return err
	}
	return p.find()
}

// find is look while no other process renames files.
func (p *Plan) find() error {
	p.Replaced, p.Stale = nil, nil
	entries, err := os.ReadDir(p.Dir)
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
		case slices.Contains(p.remove, name):
			p.Stale = append(p.Stale, name)
		case p.stem == "":
		case name == indexOf(p.stem):
			p.Stale = append([]string{name}, p.Stale...)
		case isShardOf(p.stem, name):
			p.Stale = append(p.Stale, name)
		}
	}
	slices.SortStableFunc(p.Stale, func(a, b string) int {
		return cmp.Compare(slices.Index(p.remove, a), slices.Index(p.remove, b))
	})
	return nil
}

// guard returns an error if the plan would replace or remove an input, a file that exists
// without leave to overwrite it, or a read-only file.
func (p *Plan) guard() error {
	there := slices.Concat(p.Replaced, p.Stale)
	for _, name := range there {
		if file := filepath.Join(p.Dir, name); p.inputs.has(file) {
			return &requestError{fmt.Sprintf("%q is an input, and would be %s", filepath.ToSlash(file), p.fate(name)),
				ErrIsInput}
		}
	}
	if p.inputs.err != nil {
		return p.inputs.err
	}
	if len(there) > 0 && !p.overwrite {
		return p.exists("exists, and", there)
	}
	for _, name := range there {
		if err := atomicfile.Writable(filepath.Join(p.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// exists returns an error that files exist.
func (p *Plan) exists(is string, names []string) error {
	more := ""
	if n := len(names) - 1; n > 0 {
		more = " (and " + wording.Count(n, "other file") + ")"
	}
	return &requestError{fmt.Sprintf("%q %s would be %s%s", filepath.ToSlash(filepath.Join(p.Dir, names[0])), is,
		p.fate(names[0]), more), fs.ErrExist}
}

// fate says what happens to a file that exists.
func (p *Plan) fate(name string) string {
	if slices.Contains(p.Stale, name) {
		return "removed"
	}
	return "replaced"
}
