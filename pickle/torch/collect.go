// Collecting: the tensors of the root, their names, and what is left out.

package torch

import (
	"errors"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// bareName is what a tensor is called that is all that was saved.
const bareName = "tensor"

// mostSkipped is how many values are told apart that are left out; the last stands for
// those beyond.
const mostSkipped = 1000

// collect makes the tensors of what a pickle returns.
func (f *file) collect(top pickle.Value, from storages) error {
	w := &walker{builder: &builder{storages: from, opts: f.opts, within: make(map[pickle.Value]*storage)}}
	if f.opts.Values {
		if err := f.values(&walker{builder: w.builder}, top); err != nil {
			return err
		}
	}
	root, err := f.root(w, top)
	if err != nil {
		return err
	}
	c := &collector{file: f, walker: w, names: make(map[string]bool), records: make(map[*record]bool)}
	if w.isTensor(root) {
		err = c.tensor(bareName, root)
	} else {
		err = w.walk(root, c.visit)
	}
	if err != nil {
		return err
	}
	return f.finish()
}

// finish refuses a file without tensors.
func (f *file) finish() error {
	if len(f.Tensors) > 0 {
		return nil
	}
	for _, s := range f.Skipped {
		if s.Unsupported {
			return &FormatError{Path: s.Path, Detail: s.What + "; it is the first, and no tensor of the file has a form in safetensors", Form: s.Form}
		}
	}
	return notCheckpoint("there are no tensors in it")
}

// A collector makes the tensors of a walk.
type collector struct {
	*file
	*walker
	names   map[string]bool
	records map[*record]bool // those that are listed
	bytes   int64            // of all tensors
}

// visit looks at one value of the root.
func (c *collector) visit(at child, path func() string) (enter bool, err error) {
	if at.v.IsNone() {
		return false, nil // of a module, a bias that there is not
	}
	t, err := c.count(at.v)
	if err != nil {
		return false, err
	}
	switch {
	case at.name == "_metadata" && t.tensors == 0:
		return false, nil // of state_dict: the versions of the modules' code
	case at.aside && t.tensors == 0:
		return false, nil
	case t.tensors == 0 && t.values == 0:
		return false, nil
	case at.odd != "" && t.tensors > 0:
		return false, refuse("%s is the key of %s in it, and names are made of str and int", at.odd, wording.Count(t.tensors, "tensor"))
	case at.aside || t.tensors == 0:
		c.skip(skipped(c.fromTop(path()), at.v, t))
		return false, nil
	case c.isTensor(at.v):
		return false, c.tensor(path(), at.v)
	}
	return true, nil
}

// fromTop returns the path of a value whose path from the root is given.
func (f *file) fromTop(path string) string {
	if f.Root == "" {
		return path
	}
	return f.Root + "." + path
}

// skip takes note of what is left out.
func (f *file) skip(s Skipped) {
	if n := len(f.Skipped); n >= mostSkipped && !s.Unsupported {
		last := &f.Skipped[n-1]
		last.Path, last.Tensors, last.Values = "…", last.Tensors+s.Tensors, last.Values+s.Values
		last.What = fmt.Sprintf("%s and %s more", wording.Count(last.Tensors, "tensor"), wording.Count(last.Values, "other value"))
		return
	}
	f.Skipped = append(f.Skipped, s)
}

// tensor adds a tensor, under the name that its path is.
func (c *collector) tensor(name string, v pickle.Value) error {
	made, err := c.builder.tensor(v)
	if err != nil {
		return c.failed(name, err)
	}
	err = c.add(name, made)
	for _, b := range made.beside {
		if err == nil {
			err = c.add(name+b.suffix, b.view)
		}
	}
	return err
}

// failed takes note of a tensor that the format has no form for, and returns any other
// error with the tensor's name.
func (c *collector) failed(name string, err error) error {
	var why unsupported
	var format *FormatError
	switch {
	case errors.As(err, &why):
		c.skip(Skipped{Path: c.fromTop(name), What: why.why, Tensors: 1, Unsupported: true, Form: why.form})
		return nil
	case errors.As(err, &format) && format.Path == "":
		format.Path = c.fromTop(name)
	}
	return err
}

// add adds the tensor that a view is.
func (c *collector) add(name string, v *view) error {
	switch {
	case c.names[name]:
		return &FormatError{Path: c.fromTop(name), Detail: "two tensors have this name, once the names on the way to them are joined by dots: choose a part of the checkpoint as the root"}
	case name == "__metadata__":
		return &FormatError{Path: c.fromTop(name), Detail: "a safetensors file has its metadata under this name, and no tensor"}
	}
	c.names[name] = true
	most := c.file.opts.maxBytes(c.size)
	if c.bytes += v.size(); c.bytes > most || c.bytes < 0 {
		return &FormatError{Path: c.fromTop(name), Detail: fmt.Sprintf("with this tensor, of %s, there are more than the %s that may be made of a file of %s",
			wording.Count(v.size(), "byte"), wording.Count(most, "byte"), wording.Count(c.size, "byte"))}
	}
	r, err := v.reader()
	if err != nil {
		return c.failed(name, err)
	}
	if g, ok := r.(*gather); ok && c.tiles.worth(g) {
		g.tiles = &c.tiles
	}
	info := safetensors.TensorInfo{Name: name, Dtype: v.dtype, Shape: v.shape, Offsets: safetensors.Span{End: v.size()}}
	c.Tensors = append(c.Tensors, &safetensors.Tensor{TensorInfo: info, ReaderAt: r})
	c.extents = append(c.extents, v.extent())
	for _, one := range c.extents[len(c.extents)-1].records {
		if !c.records[one] {
			c.records[one] = true
			c.file.records = append(c.file.records, one)
		}
	}
	return nil
}
