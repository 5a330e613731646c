// Packed weights.

package viewer

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/model/unpack"
)

// Bounds of what is read to recognize packed weights.
const (
	mostPackable = 250_000 // tensors of a target; recognition takes about 500 bytes for each
	mostBeside   = 4 << 20 // bytes of a configuration file
)

// A packing is the packed weights of a target.
type packing struct {
	byID map[int]*unpack.Weight      // by the numbers of their parts
	ids  map[*safetensors.Tensor]int // the numbers of parts
}

// packed returns the packed weights of the target.
func (o *opened) packed() *packing {
	p, _ := o.packing.Get(func() (*packing, error) {
		p := &packing{byID: make(map[int]*unpack.Weight), ids: make(map[*safetensors.Tensor]int)}
		if o.all > mostPackable {
			return p, nil
		}
		// The parts of a pipeline have folders, names and configurations of their own.
		folders := make(map[string][]int)
		var order []string
		for i := range o.files() {
			folder := path.Dir(o.files()[i].Path)
			if folders[folder] == nil {
				order = append(order, folder)
			}
			folders[folder] = append(folders[folder], i)
		}
		for _, folder := range order {
			p.add(o, folders[folder])
		}
		return p, nil
	})
	return p
}

// add adds the packed weights of files in one folder.
func (p *packing) add(o *opened, files []int) {
	src := &unpack.Source{Beside: func(name string) ([]byte, error) { return o.beside(o.files()[files[0]].Path, name) }}
	ids := make(map[string]int)
	for _, i := range files {
		f := &o.files()[i]
		if f.Header == nil || f.Format == "gguf" || o.refused(i) != nil {
			continue
		}
		one := unpack.File{Metadata: f.Header.Metadata}
		for j := range f.Header.Tensors {
			ti := &f.Header.Tensors[j]
			id := o.base[i] + j
			if _, twice := ids[ti.Name]; !twice {
				ids[ti.Name] = id
			}
			one.Tensors = append(one.Tensors, &safetensors.Tensor{TensorInfo: *ti, ReaderAt: &source{o, id}})
		}
		src.Files = append(src.Files, one)
	}
	for _, w := range unpack.Of(src).All {
		for _, part := range w.Parts {
			p.byID[ids[part.Name]], p.ids[part] = w, ids[part.Name]
		}
	}
}

// beside reads a small file in the folder of a file.
func (o *opened) beside(file, name string) ([]byte, error) {
	object, err := o.found.OpenBeside(context.Background(), file, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	text := make([]byte, min(object.Size(), mostBeside))
	n, err := object.ReaderAt(context.Background()).ReadAt(text, 0)
	if n < len(text) {
		return nil, err
	}
	return text, nil
}

// A source reads a tensor of a target, whose file is opened when it is needed.
type source struct {
	o  *opened
	id int
}

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(b []byte, off int64) (int, error) {
	t, release, err := s.o.stored(context.Background(), s.id)
	if err != nil {
		return 0, err
	}
	defer release()
	return t.ReadAt(b, off)
}

var _ io.ReaderAt = (*source)(nil)

// hasPacked reports whether the target has packed weights.
func (o *opened) hasPacked() bool { return len(o.packed().byID) > 0 }

// isPacked reports whether a tensor is a part of a packed weight.
func (o *opened) isPacked(id int) bool { return o.packed().byID[id] != nil }

// isCompanion reports whether a tensor is a part of a packed weight other than its values.
func (o *opened) isCompanion(id int) bool {
	p := o.packed()
	w := p.byID[id]
	return w != nil && p.ids[w.Parts[0]] != id
}

// unpacked returns the number of the tensor with the values of a packed weight of a name, or -1.
func (o *opened) unpacked(name, file string) int {
	for part, id := range o.packed().ids {
		w := o.packed().byID[id]
		if w.Name == name && part == w.Parts[0] && (file == "" || o.files()[o.row(id).File].Path == file) {
			return id
		}
	}
	return -1
}

// views returns the ways to see a tensor, the usual one first.
func (o *opened) views(id int) []string {
	w := o.packed().byID[id]
	if w == nil || o.isCompanion(id) {
		return []string{asStored}
	}
	if _, err := w.Tensor(); err != nil {
		return []string{asStored}
	}
	return []string{asWeight, asStored}
}

// weight returns the weight that a tensor has the values of. Its reads end with ctx.
func (o *opened) weight(ctx context.Context, id int) (*safetensors.Tensor, func(), error) {
	t, err := o.packed().byID[id].Tensor()
	if err != nil {
		return nil, nil, err
	}
	return new(reply.Job).Counted(ctx, t), func() {}, nil
}

// weightJSON describes the weight that a tensor is a part of; nil if there is none.
func (o *opened) weightJSON(id int) any {
	w := o.packed().byID[id]
	if w == nil {
		return nil
	}
	var reason *string
	var dtype *safetensors.Dtype
	var shape encode.Dims
	if t, err := w.Tensor(); err == nil {
		dtype, shape = &t.Dtype, append(encode.Dims{}, t.Shape...)
	} else {
		text := typeset.Line(describe(err))
		reason = &text
	}
	return []encode.Member{encode.M("name", labelOf(w.Name)), encode.M("scheme", w.Scheme), encode.M("bits", w.Bits),
		encode.M("dtype", dtype), encode.M("shape", shape), encode.M("reason", reason),
		encode.M("parts", encode.List(w.Parts, func(t **safetensors.Tensor) any {
			return []encode.Member{encode.M("id", o.packed().ids[*t]), encode.M("role", labelOf(roleOf((*t).Name))),
				encode.M("name", labelOf((*t).Name))}
		}))}
}

// roleOf returns the last word of a name.
func roleOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
