// Sparse tensors, made dense: which arguments they have, and what these must be.

package torch

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// torch/_tensor.py, _reduce_ex_internal, pickles a sparse tensor as _rebuild_sparse_tensor
// of its layout and its parts. Those of COO are indices, of which there is a row for each
// sparse dimension, values, and the size; from 2.1 on whether it is coalesced. Those of CSR
// are where in the columns each row begins, the columns, values, and the size; up to 1.13
// for _rebuild_sparse_csr_tensor.

// sparse returns the dense tensor that a sparse one stands for, if that is asked for.
func (b *builder) sparse(args pickle.Value) (*view, error) {
	layout, parts := layoutOf(args.Item(0)), args.Item(1)
	switch {
	case layout != "sparse_coo" && layout != "sparse_csr":
		return nil, unsupportedf("a sparse tensor of the layout %s: save it as it is after to_dense()", quoted(layout))
	case !b.opts.Dense:
		return nil, unsupported{"a sparse tensor", FormSparse}
	case layout == "sparse_coo":
		return b.coo(parts)
	}
	return b.csr(parts)
}

// layoutOf returns the name of a layout, without its module.
func layoutOf(v pickle.Value) string {
	if c, ok := v.Called(); ok && calledName(c) == "torch.serialization._get_layout" {
		name, _ := c.Args().Item(0).Str()
		return strings.TrimPrefix(name, "torch.")
	}
	_, name, _ := v.Global()
	return name
}

// coo returns the tensor of coordinates and values.
func (b *builder) coo(parts pickle.Value) (*view, error) {
	if parts.Len() < 3 {
		return nil, refuse("a sparse tensor has %s, and 3 are due", wording.Count(parts.Len(), "part"))
	}
	indices, err := b.numbers(parts.Item(0), "indices", 2)
	if err != nil {
		return nil, err
	}
	shape, err := ints(parts.Item(2), "sizes")
	if err != nil {
		return nil, err
	}
	dims, count := indices.shape[0], indices.shape[1]
	if dims > int64(len(shape)) {
		return nil, refuse("its indices are of %d dimensions, and it has %d", dims, len(shape))
	}
	p := &coordinates{part: indices.part, shape: shape[:dims], count: count}
	return b.expand(parts.Item(1), shape, int(dims), count, p, indices)
}

// csr returns the tensor of compressed rows.
func (b *builder) csr(parts pickle.Value) (*view, error) {
	if parts.Len() < 4 {
		return nil, refuse("a sparse tensor has %s, and 4 are due", wording.Count(parts.Len(), "part"))
	}
	rows, err := b.numbers(parts.Item(0), "rows", 1)
	if err != nil {
		return nil, err
	}
	columns, err := b.numbers(parts.Item(1), "columns", 1)
	if err != nil {
		return nil, err
	}
	shape, err := ints(parts.Item(3), "sizes")
	switch {
	case err != nil:
		return nil, err
	case len(shape) != 2:
		return nil, unsupportedf("a batch of sparse tensors: save it as it is after to_dense()")
	case rows.shape[0] != shape[0]+1:
		return nil, refuse("it has %d rows, and %s begin or end", shape[0], wording.Count(rows.shape[0], "row"))
	}
	if err := rows.grow(rows.shape[0]); err != nil {
		return nil, err
	}
	p := &compressed{begins: rows.part, columns: columns.part, rows: shape[0], width: shape[1], count: columns.shape[0]}
	return b.expand(parts.Item(2), shape, 2, p.count, p, rows, columns)
}

// An integers is a tensor of integers that says where values are.
type integers struct {
	part
	shape   []int64
	records []*record
}

// numbers returns a tensor of integers of the given number of dimensions.
func (b *builder) numbers(v pickle.Value, what string, rank int) (*integers, error) {
	made, err := b.tensor(v)
	if err != nil {
		return nil, err
	}
	switch {
	case made.dtype != safetensors.I64 && made.dtype != safetensors.I32:
		return nil, refuse("its %s are of %s, and integers of 32 or 64 bits are due", what, made.dtype)
	case len(made.shape) != rank:
		return nil, refuse("its %s have %s, and %d are due", what, wording.Count(len(made.shape), "dimension"), rank)
	}
	r, err := made.reader()
	if err != nil {
		return nil, err
	}
	return &integers{part{r, made.width()}, made.shape, made.extent().records}, nil
}

// grow refuses integers of which one is less than that before.
func (p part) grow(count int64) error {
	last := int64(0)
	batch := make([]int64, min(count, sparseBatch))
	for first := int64(0); first < count; first += int64(len(batch)) {
		batch = batch[:min(count-first, sparseBatch)]
		if err := p.read(batch, first); err != nil {
			return err
		}
		if !slices.IsSorted(batch) || batch[0] < last {
			return refuse("one of its rows ends before it begins")
		}
		last = batch[len(batch)-1]
	}
	return nil
}

// expand returns the dense tensor of values, of which each is a block of what follows the
// sparse dimensions. Their positions are read once, and have to ascend: then any part of
// the tensor can be made without the rest.
func (b *builder) expand(v pickle.Value, shape []int64, dims int, count int64, at positions, of ...*integers) (*view, error) {
	values, err := b.tensor(v)
	switch {
	case err != nil:
		return nil, err
	case !slices.Equal(values.shape, append([]int64{count}, shape[dims:]...)):
		return nil, refuse("its values are of the shape %d, and there are %s of %d", values.shape, wording.Count(count, "position"), shape[dims:])
	}
	r, err := values.reader()
	if err != nil {
		return nil, err
	}
	t := &view{storage: new(storage), dtype: values.dtype, shape: shape, elements: 1}
	blocks := int64(1)
	for i, n := range shape {
		var fits bool
		if t.elements, fits = product(t.elements, n); !fits {
			return nil, refuse("it has more elements than 63 bits can count")
		}
		if i < dims {
			blocks *= n
		}
	}
	if _, fits := product(t.elements, t.width()); !fits {
		return nil, refuse("it has more bytes than 63 bits can count")
	}
	if err := ascend(at, count, blocks); err != nil {
		return nil, err
	}
	block := t.width()
	for _, n := range shape[dims:] {
		block *= n
	}
	t.made = &sparse{at: at, count: count, values: r, block: block, size: t.size()}
	t.records = values.extent().records
	for _, one := range of {
		t.records = append(t.records, one.records...)
	}
	return t, nil
}

// ascend refuses positions that do not ascend, or that leave the tensor, which has as many
// as blocks says.
func ascend(at positions, count, blocks int64) error {
	last := int64(-1)
	batch := make([]int64, min(count, sparseBatch))
	for first := int64(0); first < count; first += int64(len(batch)) {
		batch = batch[:min(count-first, sparseBatch)]
		if err := at.read(batch, first); err != nil {
			return err
		}
		for _, p := range batch {
			if p <= last {
				return unsupportedf("a sparse tensor whose values are not in order, or two in one place: save it as it is after coalesce(), or to_dense()")
			}
			last = p
		}
	}
	if last >= blocks {
		return refuse("one of its values is at position %d, of %d", last, blocks)
	}
	return nil
}
