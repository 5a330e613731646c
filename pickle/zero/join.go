// Joining the parts of weights.

package zero

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
)

// join makes the tensors.
func (r *reader) join(ctx context.Context) error {
	if err := r.spacing(); err != nil {
		return err
	}
	flat := func(rank, group int) *safetensors.Tensor { return r.parts[rank].flats[group] }
	trained, err := r.divide(flat, func(name string) string { return name })
	if err != nil {
		return err
	}
	if err := r.add(trained...); err != nil {
		return err
	}
	if err := r.frozen(ctx); err != nil {
		return err
	}
	if err := r.shared(); err != nil {
		return err
	}
	if err := r.rest(false); err != nil {
		return err
	}
	return r.optimizer()
}

// add adds tensors under their names.
func (r *reader) add(tensors ...*safetensors.Tensor) error {
	for _, t := range tensors {
		if t.Name == "__metadata__" || r.names[t.Name] != nil {
			return checkpoint.Damaged("%s: two tensors have the name %s, or it is reserved", wording.Quote(r.head.name),
				wording.Quote(t.Name))
		}
		r.names[t.Name] = t
		r.made.Tensors = append(r.made.Tensors, t)
	}
	return nil
}

// mostPadding bounds the padding behind a weight.
const mostPadding = 1 << 20

// spacing sets the padding behind each weight, if the parts record any.
func (r *reader) spacing() error {
	spaces := get(get(r.parts[0].top, partKey), "param_alignment_paddings")
	group := 0
	for list := range spaces.Items() {
		paddings, ok := wholes(list)
		if !ok || group >= len(r.weights) || len(paddings) != len(r.weights[group]) {
			return checkpoint.Damaged("%s: param_alignment_paddings does not have a number for each weight",
				wording.Quote(r.parts[0].name))
		}
		for i, n := range paddings {
			if n < 0 || n > mostPadding {
				return checkpoint.Damaged("%s: %d elements of padding after a weight", wording.Quote(r.parts[0].name), n)
			}
			r.weights[group][i].padding = n
		}
		group++
	}
	return nil
}

// divide makes the weights of flat arrays, which flat returns for each process and group.
func (r *reader) divide(flat func(rank, group int) *safetensors.Tensor, rename func(string) string) (
	[]*safetensors.Tensor, error) {
	if r.stage == 3 {
		return r.stripes(flat, rename)
	}
	groups := len(r.parts[0].flats)
	if groups != len(r.weights) {
		return nil, checkpoint.Damaged("%s has weights for %s, but %s has shapes for %d", wording.Quote(r.parts[0].name),
			wording.Count(groups, "group"), wording.Quote(r.head.name), len(r.weights))
	}
	var list []*safetensors.Tensor
	for g, weights := range r.weights {
		all := new(row)
		for rank, p := range r.parts {
			if err := all.add(flat(rank, g), p.flats[g].NumElems()); err != nil {
				return nil, checkpoint.Damaged("%s: %v", wording.Quote(p.name), err)
			}
		}
		at := int64(0)
		for _, w := range weights {
			if w.elements > all.elements()-at {
				return nil, r.lacking(w, all.elements()-at)
			}
			size := width(all.dtype)
			list = append(list, tensor(rename(w.name), all.dtype, w.shape, io.NewSectionReader(all, at*size, w.elements*size)))
			at += w.elements + w.padding
		}
		// The end is padded to a multiple of twice the number of processes, or not. (zero_to_fp32.py of DeepSpeed
		// 0.19.8, _zero2_merge_trainable_params.)
		if unit := 2 * int64(len(r.parts)); (all.elements()+unit-1)/unit != (at+unit-1)/unit {
			return nil, r.surplus(all.elements(), at)
		}
	}
	return list, nil
}

// lacking is the error for a weight that the parts do not have completely.
func (r *reader) lacking(w weight, left int64) error {
	return checkpoint.Damaged("%s needs %s, but the files *%s have only %v after the previous weight",
		wording.Quote(w.name), wording.Count(w.elements, "element"), optimizerEnd, wording.Grouped(max(left, 0)))
}

// surplus is the error for parts that have more than the weights.
func (r *reader) surplus(have, need int64) error {
	return checkpoint.Damaged("the files *%s have %s, but the weights in %s need only %v", optimizerEnd,
		wording.Count(have, "element"), wording.Quote(r.head.name), wording.Grouped(need))
}

// stripes makes the weights of stage 3, which divides each weight evenly among the processes. (zero_to_fp32.py of
// DeepSpeed 0.19.8, zero3_partitioned_param_info.)
func (r *reader) stripes(flat func(rank, group int) *safetensors.Tensor, rename func(string) string) (
	[]*safetensors.Tensor, error) {
	rows := make([]row, len(r.parts))
	for rank, p := range r.parts {
		for g, own := range p.flats {
			if err := rows[rank].add(flat(rank, g), own.NumElems()); err != nil {
				return nil, checkpoint.Damaged("%s: %v", wording.Quote(p.name), err)
			}
		}
		if rows[rank].dtype != rows[0].dtype || rows[rank].size() != rows[0].size() {
			return nil, checkpoint.Damaged("%s has %d bytes of %s weights, but %s has %d of %s",
				wording.Quote(r.parts[0].name), rows[0].size(), rows[0].dtype, wording.Quote(p.name), rows[rank].size(),
				rows[rank].dtype)
		}
	}
	if rows[0].dtype == "" {
		return nil, checkpoint.Damaged("%s has no weights in %s", wording.Quote(r.parts[0].name), groupsKey3)
	}
	ranks, size, have := int64(len(r.parts)), width(rows[0].dtype), rows[0].elements()
	at := int64(0)
	var list []*safetensors.Tensor
	for _, weights := range r.weights {
		for _, w := range weights {
			each := (w.elements + ranks - 1) / ranks
			if each > have-at {
				return nil, r.lacking(w, (have-at)*ranks)
			}
			data := &striped{rows: rows, begin: at * size, each: each * size, size: w.elements * size}
			list = append(list, tensor(rename(w.name), rows[0].dtype, w.shape, data))
			at += each
		}
	}
	if at != have {
		return nil, r.surplus(have*ranks, at*ranks)
	}
	return list, nil
}

// frozen adds the weights that are not trained. In stage 3 every process has a part of each.
func (r *reader) frozen(ctx context.Context) error {
	shapes := get(r.head.top, "frozen_param_shapes")
	if shapes.Kind() == pickle.KindUnknown || shapes.IsNone() {
		return nil
	}
	weights, err := weightsOf(shapes)
	if err != nil {
		return checkpoint.Damaged("%s: %v", wording.Quote(r.head.name), err)
	}
	files := []*file{r.head}
	if r.stage == 3 && len(weights) > 0 {
		if files, err = r.models(ctx); err != nil {
			return err
		}
	}
	for _, w := range weights {
		all := new(row)
		for _, f := range files {
			t := f.at("frozen_param_fragments", w.name)
			if t == nil {
				return checkpoint.Damaged("%s has no part of the frozen weight %s", wording.Quote(f.name), wording.Quote(w.name))
			}
			if err := all.add(t, t.NumElems()); err != nil {
				return checkpoint.Damaged("%s: %v", wording.Quote(f.name), err)
			}
		}
		if w.elements > all.elements() {
			return r.lacking(w, all.elements())
		}
		data := io.NewSectionReader(all, 0, w.elements*width(all.dtype))
		if err := r.add(tensor(w.name, all.dtype, w.shape, data)); err != nil {
			return err
		}
	}
	return nil
}

// models opens the files of all processes that have frozen weights in stage 3.
func (r *reader) models(ctx context.Context) ([]*file, error) {
	files := []*file{r.head}
	why := fmt.Sprintf("each of the %d ranks saves its part of the frozen weights", r.made.Ranks)
	type opened struct {
		*file
		err error
	}
	open := func(_ context.Context, i int) opened {
		f, err := r.openBeside(ctx, modelFile(i+1), r.beside, why)
		return opened{f, err}
	}
	for _, f := range bytesio.Ahead(ctx, parallel, r.made.Ranks-1, open) {
		if f.err != nil {
			return nil, f.err
		}
		files = append(files, f.file)
		r.made.files = append(r.made.files, f.name)
	}
	return files, nil
}

// shared adds the other names of tied weights.
func (r *reader) shared() (err error) {
	entries(get(r.head.top, "shared_params"), func(name string, value pickle.Value) {
		other, _ := value.Str()
		if t := r.names[other]; t != nil && r.names[name] == nil && err == nil {
			err = r.add(t.Rename(name))
		}
	})
	return err
}

// modulePrefix begins the paths of the tensors of the model in the head.
const modulePrefix = "module."

// rest adds the buffers, and weights that only the head has, and puts the tensors in the order of the model. If
// the head has slices of weights, it cannot be used for them.
func (r *reader) rest(slices bool) error {
	buffers := texts(get(r.head.top, "buffer_names"))
	copies := 0
	var order []*safetensors.Tensor
	for _, t := range r.head.tensors {
		name, ok := strings.CutPrefix(t.Name, modulePrefix)
		switch {
		case !ok:
			continue
		case r.names[name] != nil:
			copies++
		case t.Size() == 0 && r.stage == 3 && !buffers[name]:
			r.skip(torch.Skipped{Path: t.Name, Tensors: 1, Unsupported: true,
				What: "the placeholder of a weight that the optimizer did not train, whose values no file has"})
			continue
		case slices && !buffers[name]:
			r.skip(torch.Skipped{Path: t.Name, Tensors: 1, Unsupported: true,
				What: "a slice of a weight that the optimizer did not train, whose other slices are in other files"})
			continue
		default:
			if err := r.addOf(t, name, buffers[name]); err != nil {
				return err
			}
		}
		order = append(order, r.names[name])
	}
	if copies > 0 {
		r.skip(torch.Skipped{Path: strings.TrimSuffix(modulePrefix, "."), Tensors: copies,
			What: wording.Count(copies, "tensor") + " of weights in the precision of training; " +
				"their values are taken from the optimizer"})
	}
	done := make(map[*safetensors.Tensor]bool, len(order))
	for _, t := range order {
		done[t] = true
	}
	for _, t := range r.made.Tensors {
		if !done[t] {
			order = append(order, t)
		}
	}
	r.made.Tensors = order
	return nil
}

// addOf adds a tensor of the head. Buffers of float dtypes become F32.
func (r *reader) addOf(t *safetensors.Tensor, name string, buffer bool) (err error) {
	if t = t.Rename(name); buffer && t.Dtype.Class() == safetensors.ClassFloat {
		if t, err = t.Convert(safetensors.F32); err != nil {
			return err
		}
	}
	return r.add(t)
}
