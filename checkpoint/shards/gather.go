// Gathering the tensors and the metadata of several checkpoints.

package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/wording"
)

// RewriteOptions are the options of [Merge] and [Split]. The zero RewriteOptions, and
// nil, are the defaults.
type RewriteOptions struct {
	// Select reports whether the tensor of a name is written. nil means all are.
	Select func(name string) bool

	// Dedup keeps one of several tensors that have one name and equal bytes. Otherwise
	// they are a *[DuplicateError], as are tensors of one name with different bytes.
	Dedup bool

	// Conflicts decides between different values of one metadata key.
	Conflicts Conflicts

	// MaxShard and Stem are used by Split, as in a [Writer]. "" means the input's stem.
	MaxShard int64
	Stem     string

	// KeepOrder is as in a [safetensors.Encoder].
	KeepOrder bool

	// InPlace replaces the files of the one input, which must be local and, except on
	// Windows, may be open. If one of them has changed since it was planned, Write fails.
	InPlace bool

	// These are as for a Writer. Overwrite never replaces an input.
	Overwrite, Verify, Digests bool
	Progress                   func(done, total int64)

	// Name returns what errors and receipts call a file of an input. nil means its
	// path in its store.
	Name func(input *checkpoint.Checkpoint, path string) string
}

// A DuplicateError says that two tensors to write have one name.
type DuplicateError struct {
	Tensor        string
	First, Second string // the files, as inputs are named
	Difference    string // how they differ, in words; "" if they are equal
	More          int    // how many more names are in two files
}

// Error describes the first duplicate in one line.
func (e *DuplicateError) Error() string {
	is := cmp.Or(e.Difference, "with the same bytes")
	if e.More > 0 {
		is += fmt.Sprintf(" (and %s in two files)", wording.Count(e.More, "more name"))
	}
	return fmt.Sprintf("shards: tensor %s is in %s and in %s, %s", wording.Quote(e.Tensor), wording.Quote(e.First),
		wording.Quote(e.Second), is)
}

// A gathering is what the inputs have.
type gathering struct {
	*RewriteOptions
	inputs  []*checkpoint.Checkpoint
	tensors []*safetensors.Tensor
	from    map[*safetensors.Tensor]string
	part    bool   // some tensors were not selected
	format  string // of an input that is not in safetensors format, or ""

	own     []string         // the inputs' files on this machine
	claimed atomicfile.Claim // the same, as they were before they were read, if they are to be replaced

	metadata      map[string]string // nil if no file has any
	indexMetadata map[string]string // each value as JSON
}

// gather reads the headers of all inputs, and checks that they fit together.
func gather(ctx context.Context, opts *RewriteOptions, inputs []*checkpoint.Checkpoint) (*gathering, error) {
	if opts == nil {
		opts = new(RewriteOptions)
	}
	if len(inputs) == 0 {
		return nil, refuse("no input is given")
	}
	g := &gathering{RewriteOptions: opts, inputs: inputs, from: make(map[*safetensors.Tensor]string)}
	for _, c := range inputs {
		if err := g.claim(ctx, c); err != nil {
			return nil, err
		}
		if err := g.judge(ctx, c); err != nil {
			return nil, err
		}
		if err := g.take(ctx, c); err != nil {
			return nil, err
		}
	}
	if g.part && len(g.tensors) == 0 {
		return nil, refuse("no tensor is selected")
	}
	if err := g.once(ctx); err != nil {
		return nil, err
	}
	return g, g.blend(ctx)
}

// name returns what a file of an input is called.
func (g *gathering) name(c *checkpoint.Checkpoint, path string) string {
	if g.Name == nil {
		return path
	}
	return g.Name(c, path)
}

// claim notes an input's files on this machine, with their state if they are to be replaced.
func (g *gathering) claim(ctx context.Context, c *checkpoint.Checkpoint) error {
	files, err := localFiles(ctx, c)
	if err != nil {
		return err
	}
	g.own = append(g.own, files...)
	if len(files) > 0 {
		if err := Unfinished(filepath.Dir(files[0])); err != nil {
			return err
		}
	}
	if !g.InPlace {
		return nil
	}
	for _, name := range files {
		if err := g.claimed.Add(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// judge returns an error if an input breaks a rule: files written from it would look
// valid, and hide what is missing.
func (g *gathering) judge(ctx context.Context, c *checkpoint.Checkpoint) error {
	for r, err := range c.Validate(ctx) {
		if err != nil {
			return err
		}
		g.format = cmp.Or(g.format, r.Format)
		if v := r.First(c.Refuses()); v != nil {
			return &fs.PathError{Op: "read", Path: g.name(c, cmp.Or(r.File, c.Set().Name)), Err: v}
		}
	}
	return nil
}

// take takes the tensors of an input, in the order of shards and headers. A witness reads
// remote tensors, to avoid a second download for verification.
func (g *gathering) take(ctx context.Context, c *checkpoint.Checkpoint) error {
	for _, path := range c.Shards() {
		file := g.name(c, path)
		for located, err := range c.TensorsOf(ctx, path) {
			t := located.Tensor
			switch {
			case err != nil:
				return err
			case g.Select != nil && !g.Select(t.Name):
				g.part = true
				continue
			case (g.Verify || g.Digests) && fileBehind(t.ReaderAt) == nil:
				t = &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: compare.NewWitness(t.ReaderAt)}
			}
			g.tensors = append(g.tensors, t)
			g.from[t] = file
		}
	}
	return nil
}

// once makes sure that no two tensors have one name. With Dedup, it keeps the first of
// those that are equal.
func (g *gathering) once(ctx context.Context) error {
	byName := make(map[string]*safetensors.Tensor, len(g.tensors))
	var twice [][2]*safetensors.Tensor
	g.tensors = slices.DeleteFunc(g.tensors, func(t *safetensors.Tensor) bool {
		first, known := byName[t.Name]
		if known {
			twice = append(twice, [2]*safetensors.Tensor{first, t})
		} else {
			byName[t.Name] = t
		}
		return known
	})
	for _, two := range twice {
		d, err := difference(ctx, two[0], two[1])
		if err != nil {
			return err
		}
		if d != "" || !g.Dedup {
			return &DuplicateError{two[0].Name, g.from[two[0]], g.from[two[1]], d, len(twice) - 1}
		}
	}
	return nil
}

// difference says how two tensors differ, or returns "".
func difference(ctx context.Context, a, b *safetensors.Tensor) (string, error) {
	if a.Dtype != b.Dtype || !slices.Equal(a.Shape, b.Shape) {
		return fmt.Sprintf("as %s %s and as %s %s", a.Dtype, a.ShapeString(), b.Dtype, b.ShapeString()), nil
	}
	at, err := compare.First(ctx, a, b, a.Size(), nil)
	if at < 0 || err != nil {
		return "", err
	}
	return fmt.Sprintf("with different bytes from byte %d on", at), nil
}

// blend takes the metadata of every file, and of every index.
func (g *gathering) blend(ctx context.Context) error {
	ofFiles := blend{where: "__metadata__", choice: g.Conflicts}
	ofIndexes := blend{where: "the metadata of the index", choice: g.Conflicts}
	for _, c := range g.inputs {
		for _, shard := range c.Shards() {
			h, err := c.Header(ctx, shard)
			if err != nil {
				return err
			}
			if err := ofFiles.add(g.name(c, shard), h.Metadata); err != nil {
				return err
			}
		}
		if x := c.Index(); x != nil {
			if err := ofIndexes.add(g.name(c, c.Set().Index), x.Metadata); err != nil {
				return err
			}
		}
	}
	g.metadata, g.indexMetadata = ofFiles.values, ofIndexes.values
	g.keepTotal()
	return nil
}

// keepTotal keeps the number of parameters that the index claims, if the output has all
// tensors of that one model.
func (g *gathering) keepTotal() {
	x := g.inputs[0].Index()
	if x == nil || x.TotalParameters < 0 || len(g.inputs) > 1 || g.part {
		return
	}
	if g.indexMetadata == nil {
		g.indexMetadata = make(map[string]string)
	}
	g.indexMetadata["total_parameters"] = strconv.FormatInt(x.TotalParameters, 10)
}
