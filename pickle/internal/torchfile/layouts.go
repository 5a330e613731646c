// The layouts of sparse and nested tensors.

package torchfile

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// sparse checks a sparse tensor with the given parts.
func (p *placing) sparse(layout string, parts pickle.Value) {
	p.what = "a tensor of layout " + layout
	switch layout {
	case "sparse_coo":
		p.coordinates(parts)
	case "sparse_csr", "sparse_bsr":
		p.compressed(parts, 0, layout == "sparse_bsr")
	case "sparse_csc", "sparse_bsc":
		p.compressed(parts, 1, layout == "sparse_bsc")
	}
}

// coordinates checks indices, with a row for each sparse dimension, values and sizes.
func (p *placing) coordinates(parts pickle.Value) {
	at, values := p.integers(parts.Item(0), 2), p.tensor(parts.Item(1))
	sizes := p.sizes(parts.Item(2))
	if p.Unclear {
		return
	}
	p.check = func(open Opener, big bool) (string, error) {
		dims, count := at.size[0], at.size[1]
		if dims > int64(len(sizes)) || len(values.size) == 0 || values.size[0] != count ||
			!slices.Equal(values.size[1:], sizes[dims:]) {
			return fmt.Sprintf("it has %d indices in %d dimensions of %d, and values of shape %d", count, dims, sizes,
				values.size), nil
		}
		for d := range dims {
			row, err := at.row(open, big, d)
			if err != nil {
				return "", err
			}
			if fault, err := row.Within("an index", 0, sizes[d]); fault != "" || err != nil {
				return fault, err
			}
		}
		return "", nil
	}
}

// sizes returns the sizes of a tensor.
func (p *placing) sizes(v pickle.Value) []int64 {
	t := &tensor{faults: new(faults)}
	list, ok := t.ints(v, RuleShape, "sizes")
	p.Unclear = p.Unclear || !ok
	return list
}

// elementsOf returns the number of elements, at most that of the largest file.
func elementsOf(size []int64) int64 {
	n, over := int64(1), false
	for _, d := range size {
		n, over = multiply(n, d, over)
	}
	if over {
		return most
	}
	return n
}

// costRow is the cost of reading a row by itself.
const costRow = 200

// maxBatch is the maximum number of matrices in a tensor that are checked. Each costs as much as a small tensor.
const maxBatch = 1 << 16

// compressed checks compressed rows, or columns if major is 1: where each begins, the indices of the values, the
// values, which may be blocks, and the sizes. All but the sizes may be batches.
func (p *placing) compressed(parts pickle.Value, major int, blocks bool) {
	begins := p.tensor(parts.Item(0))
	batch := len(begins.size) - 1
	if p.Unclear = p.Unclear || batch < 0 || batch > 3; p.Unclear {
		return
	}
	begins, indices := p.integers(parts.Item(0), batch+1), p.integers(parts.Item(1), batch+1)
	values := p.tensor(parts.Item(2))
	sizes := p.sizes(parts.Item(3))
	if p.Unclear {
		return
	}
	p.cost += costRow * min(elementsOf(begins.size[:batch]), maxBatch)
	p.check = func(open Opener, big bool) (string, error) {
		if len(sizes) < batch+2 || !slices.Equal(begins.size[:batch], sizes[:batch]) ||
			!slices.Equal(indices.size[:batch], sizes[:batch]) || len(values.size) < batch+1 ||
			!slices.Equal(values.size[:batch], sizes[:batch]) || blocks && len(values.size) < batch+3 {
			return fmt.Sprintf("its sizes are %d, and those of its parts %d, %d and %d", sizes, begins.size, indices.size,
				values.size), nil
		}
		c := positions.Compressed{Rows: sizes[batch+major], Columns: sizes[batch+1-major], Values: values.size[batch]}
		if blocks {
			if fault := c.Divide(values.size[batch+1+major], values.size[batch+2-major]); fault != "" {
				return fault, nil
			}
		}
		return eachMatrix(sizes[:batch], func(at []int64) (fault string, err error) {
			if c.Begins, err = begins.row(open, big, at...); err != nil {
				return "", err
			}
			if c.Indices, err = indices.row(open, big, at...); err != nil {
				return "", err
			}
			return c.Fault()
		})
	}
}

// eachMatrix calls yield for each matrix of a batch, until it returns a fault.
func eachMatrix(batch []int64, yield func(at []int64) (string, error)) (string, error) {
	total := elementsOf(batch)
	if total > maxBatch {
		return fmt.Sprintf("it is a batch of more than %d matrices", maxBatch), nil
	}
	at := make([]int64, len(batch))
	for i := range total {
		for d, rest := len(batch)-1, i; d >= 0; d-- {
			at[d], rest = rest%batch[d], rest/batch[d]
		}
		if fault, err := yield(at); fault != "" || err != nil {
			return fault, err
		}
	}
	return "", nil
}

// nested checks a tensor of tensors in a buffer: their sizes, strides and offsets.
func (p *placing) nested(args pickle.Value) {
	p.what = "a nested tensor"
	buffer := p.tensor(args.Item(0))
	sizes, strides := p.integers(args.Item(1), 2), p.integers(args.Item(2), 2)
	offsets := p.integers(args.Item(3), 1)
	if p.Unclear {
		return
	}
	elements := elementsOf(buffer.size)
	p.cost += costRow * sizes.size[0]
	p.check = func(open Opener, big bool) (string, error) {
		if !slices.Equal(sizes.size, strides.size) || offsets.size[0] != sizes.size[0] {
			return fmt.Sprintf("its parts have the shapes %d, %d and %d", sizes.size, strides.size, offsets.size), nil
		}
		first, err := offsets.row(open, big)
		if err != nil {
			return "", err
		}
		i, fault := int64(0), ""
		var inner error
		err = first.Each(func(offset int64) bool {
			fault, inner = within(open, big, &sizes, &strides, i, offset, elements)
			i++
			return fault == "" && inner == nil
		})
		if err == nil {
			err = inner
		}
		return fault, err
	}
}

// within checks the tensor in row i, which begins at an offset in a buffer.
func within(open Opener, big bool, sizes, strides *grid, i, offset, elements int64) (string, error) {
	var list [2][]int64
	for n, g := range []*grid{sizes, strides} {
		row, err := g.row(open, big, i)
		if err != nil {
			return "", err
		}
		if list[n], err = row.First(64); err != nil {
			return "", err
		}
	}
	last, empty, over := offset, false, offset < 0
	for d, size := range list[0] {
		var step int64
		empty = empty || size == 0
		step, over = multiply(max(size-1, 0), max(list[1][d], 0), over || size < 0 || list[1][d] < 0)
		last += step
	}
	if over || offset > elements || !empty && last >= elements {
		return fmt.Sprintf("tensor %d has the sizes %d and the strides %d from element %d of %d on", i, list[0], list[1],
			offset, elements), nil
	}
	return "", nil
}

// jagged checks a nested tensor of rows that differ in length: the values, where each row begins and the last one ends,
// and perhaps the length of each.
func (p *placing) jagged(parts map[string]pickle.Value) {
	p.what = "a jagged tensor"
	if _, ok := parts["offsets"]; !ok {
		return
	}
	values, offsets := p.tensor(parts["values"]), p.integers(parts["offsets"], 1)
	ragged, ok := parts["_ragged_idx"].Int()
	if !ok {
		ragged = 1
	}
	var lengths grid
	has := parts["lengths"].Kind() == pickle.KindCall
	if has {
		lengths = p.integers(parts["lengths"], 1)
	}
	if p.Unclear {
		return
	}
	p.check = func(open Opener, big bool) (string, error) {
		if ragged < 1 || ragged > int64(len(values.size)) || has && lengths.size[0] != offsets.size[0]-1 {
			return fmt.Sprintf("its dimension %d of %d differs in length, and its parts do not match", ragged,
				len(values.size)), nil
		}
		rows, err := offsets.row(open, big)
		if err != nil {
			return "", err
		}
		most := values.size[ragged-1]
		if _, fault, err := rows.Begins("an offset", most); fault != "" || err != nil || !has {
			return fault, err
		}
		each, err := lengths.row(open, big)
		if err != nil {
			return "", err
		}
		return positions.Ranges("a row", rows, each, most)
	}
}

// changed returns the parts of a jagged tensor after its attributes were set.
func (p *placing) changed(args pickle.Value) map[string]pickle.Value {
	parts := p.mapping(args.Item(2).Item(0))
	states := []pickle.Value{args.Item(3)}
	if args.Item(3).Kind() == pickle.KindTuple {
		states = []pickle.Value{args.Item(3).Item(0), args.Item(3).Item(1)}
	}
	same := true
	for _, state := range states {
		if state.IsNone() || state.Kind() == pickle.KindUnknown {
			continue
		}
		for name, v := range p.mapping(state) {
			part := name
			if name == "_values" || name == "_offsets" || name == "_lengths" {
				part = name[1:]
			}
			if old, ok := parts[part]; ok && old != v {
				parts[part], same = v, false
			}
		}
	}
	if same {
		return nil
	}
	return parts
}
