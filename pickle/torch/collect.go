// Collecting the tensors of the root, and what is skipped.

package torch

import (
	"errors"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/strided"
	"github.com/weightools/safetensors/pickle/torch/internal/plain"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// bareName is the name of a tensor that was saved without a container.
const bareName = "tensor"

// collect collects the tensors in the result of a pickle.
func (f *file) collect(top pickle.Value, from storages) error {
	w := f.walker(&builder{storages: from, opts: f.opts, within: make(map[pickle.Value]*storage)})
	if f.opts.Values {
		if err := f.values(w.builder, top); err != nil {
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
		err = w.Walk(root, c.visit)
	}
	if err != nil {
		return err
	}
	return f.finish(f.Format != FormatPickle && (f.opts.Empty || w.isEmpty(root)))
}

// values sets Values to the plain values in the result of a pickle.
func (f *file) values(b *builder, top pickle.Value) error {
	const least, factor, most = 1 << 20, 4, 64 << 20 // bytes of text
	f.Values = &Values{Top: top}
	w := &plain.Writer{Walker: f.walker(b).Walker, MostText: min(least+factor*f.described(), most)}
	w.LeftOut = f.Values.leaveOut
	var err error
	f.Values.JSON, err = w.JSON(top)
	return err
}

// leaveOut records a value that is neither plain nor a tensor.
func (v *Values) leaveOut(path func() string, what string) {
	if n := len(v.LeftOut); n == mostSkipped {
		last := &v.LeftOut[n-1]
		last.Path, last.Values = "…", last.Values+1
		last.What = wording.Count(last.Values, "other value")
		return
	}
	v.LeftOut = append(v.LeftOut, Skipped{Path: path(), What: what, Values: 1})
}

// finish returns an error for a file without tensors, unless it is a checkpoint of nothing.
func (f *file) finish(empty bool) error {
	if len(f.Tensors) > 0 {
		return nil
	}
	for _, s := range f.Skipped {
		if s.Unsupported {
			detail := s.What + "; safetensors cannot represent it or any other tensor of the file"
			return &FormatError{Path: s.Path, Detail: detail, Form: s.Form, unsupported: true, fix: s.fix}
		}
	}
	switch {
	case empty, f.Format == FormatScript: // a frozen module, whose tensors are constants of its programs
		return nil
	case f.Format != FormatPickle && f.Format != FormatNPZ:
		return &FormatError{Detail: "the checkpoint contains no tensors", unsupported: true,
			fix: "Open the file that has the weights."}
	}
	return notCheckpoint("the file contains no tensors")
}

// A collector builds the tensors during a walk.
type collector struct {
	*file
	*walker
	names   map[string]bool
	records map[*record]bool // records in the list
	bytes   int64            // size of all tensors
}

// visit handles one value of the root.
func (c *collector) visit(at tree.Child, path func() string) (enter bool, err error) {
	if at.V.IsNone() {
		return false, nil // an absent bias of a module
	}
	t, err := c.Count(at.V)
	if err != nil {
		return false, err
	}
	switch {
	case at.Name == "_metadata" && t.Tensors == 0:
		return false, nil // versions of module code, in a state_dict
	case at.Aside && t.Tensors == 0:
		return false, nil
	case t.Tensors == 0 && t.Values == 0:
		return false, nil
	case at.Odd != "" && t.Tensors > 0:
		return false, refuse("%s is the key of a value with %s; only str and int keys can be part of a name",
			at.Odd, wording.Count(t.Tensors, "tensor"))
	case at.Aside || t.Tensors == 0:
		return false, c.omit(c.walker, func() string { return c.fromTop(path()) }, at.V, t)
	case c.isTensor(at.V):
		return false, c.tensor(path(), at.V)
	}
	return true, nil
}

// tensor adds a tensor with its path as name.
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

// failed records a tensor that safetensors cannot represent. It returns any other error with the name of the tensor.
func (c *collector) failed(name string, err error) error {
	var why unsupported
	var format *FormatError
	switch {
	case errors.As(err, &why):
		return c.skip(Skipped{Path: c.fromTop(name), What: why.why, Tensors: 1, Unsupported: true, Form: why.form,
			fix: why.fix})
	case errors.As(err, &format) && format.Path == "":
		format.Path = c.fromTop(name)
	}
	return err
}

// add adds the tensor for a view.
func (c *collector) add(name string, v *view) error {
	switch {
	case c.names[name]:
		detail := "another tensor has the same name when paths are joined by dots; select a part of the checkpoint as root"
		return &FormatError{Path: c.fromTop(name), Detail: detail}
	case name == "__metadata__":
		return &FormatError{Path: c.fromTop(name), Detail: "safetensors reserves this name for metadata"}
	}
	c.names[name] = true
	if v.part != nil {
		if c.Parts == nil {
			c.Parts = make(map[string]*Part)
		}
		c.Parts[name] = v.part
	}
	if err := c.take(name, tensorSize); err != nil {
		return err
	}
	most := c.file.opts.maxBytes(c.size)
	if c.bytes += v.size(); c.bytes > most || c.bytes < 0 {
		detail := fmt.Sprintf("the tensors up to this one (%s) exceed the limit of %s for a file of %s",
			wording.Count(v.size(), "byte"), wording.Count(most, "byte"), wording.Count(c.size, "byte"))
		return &FormatError{Path: c.fromTop(name), Detail: detail, limit: true}
	}
	r, err := v.reader()
	if err != nil {
		return c.failed(name, err)
	}
	if g, ok := r.(*strided.Reader); ok {
		c.tiles.Use(g)
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
