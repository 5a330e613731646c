// Sparse tensors: checks of their arguments, and conversion to dense tensors.

package torch

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/sparse"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// PyTorch (torch/_tensor.py, _reduce_ex_internal) pickles a sparse tensor as _rebuild_sparse_tensor with its layout and
// its parts. The parts of COO are the indices, with a row for each sparse dimension, the values, and the size; since
// version 2.1 also whether it is coalesced. The parts of CSR are the start of each row in the columns, the columns, the
// values, and the size; up to version 1.13 the function is _rebuild_sparse_csr_tensor.

// sparse returns the dense equivalent of a sparse tensor, if the option is set.
func (b *builder) sparse(args pickle.Value) (*view, error) {
	layout, parts := layoutOf(args.Item(0)), args.Item(1)
	switch {
	case layout != "sparse_coo" && layout != "sparse_csr":
		return nil, unsupportedf("a sparse tensor with layout %s: save it after to_dense()", quoted(layout))
	case layout == "sparse_csr" && !isMatrix(parts.Item(3)):
		return nil, unsupportedf("a CSR tensor that is a batch of matrices or has dense dimensions: save it after to_dense()")
	case !b.opts.Dense:
		return nil, unsupported{why: "a sparse tensor", form: FormSparse}
	case layout == "sparse_coo":
		return b.coo(parts)
	}
	return b.csr(parts)
}

// isMatrix reports whether sizes have two dimensions, or are invalid.
func isMatrix(sizes pickle.Value) bool {
	shape, err := ints(sizes, "sizes")
	return err != nil || len(shape) == 2
}

// layoutOf returns the name of a layout without its module.
func layoutOf(v pickle.Value) string {
	if c, ok := v.Called(); ok && tree.CalledName(c) == "torch.serialization._get_layout" {
		name, _ := c.Args().Item(0).Str()
		return strings.TrimPrefix(name, "torch.")
	}
	_, name, _ := v.Global()
	return name
}

// coo returns the tensor for coordinates and values.
func (b *builder) coo(parts pickle.Value) (*view, error) {
	if parts.Len() < 3 {
		return nil, refuse("the sparse tensor has %s instead of 3", wording.Count(parts.Len(), "part"))
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
		return nil, refuse("the indices have %d dimensions, but the tensor has %d", dims, len(shape))
	}
	p := &sparse.Coordinates{Integers: indices.Integers, Shape: shape[:dims], Count: count, Refuse: refuse}
	return b.expand(parts.Item(1), shape, int(dims), count, p, indices)
}

// csr returns the tensor for compressed rows.
func (b *builder) csr(parts pickle.Value) (*view, error) {
	if parts.Len() < 4 {
		return nil, refuse("the sparse tensor has %s instead of 4", wording.Count(parts.Len(), "part"))
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
	case rows.shape[0] != shape[0]+1:
		return nil, refuse("the tensor has %d rows and %d row bounds; expected one bound more than rows", shape[0],
			rows.shape[0])
	}
	if err := rows.grow(rows.shape[0]); err != nil {
		return nil, err
	}
	p := &sparse.Compressed{Begins: rows.Integers, Columns: columns.Integers, Rows: shape[0], Width: shape[1],
		Count: columns.shape[0], Refuse: refuse}
	return b.expand(parts.Item(2), shape, 2, p.Count, p, rows, columns)
}

// integers is a tensor of integers with the positions of values.
type integers struct {
	sparse.Integers
	shape   []int64
	records []*record
}

// numbers returns an integer tensor with the given number of dimensions.
func (b *builder) numbers(v pickle.Value, what string, rank int) (*integers, error) {
	made, err := b.tensor(v)
	if err != nil {
		return nil, err
	}
	switch {
	case made.dtype != safetensors.I64 && made.dtype != safetensors.I32:
		return nil, refuse("the %s are %s instead of 32-bit or 64-bit integers", what, made.dtype)
	case len(made.shape) != rank:
		return nil, refuse("the %s have %s instead of %d", what, wording.Count(len(made.shape), "dimension"), rank)
	}
	r, err := made.reader()
	if err != nil {
		return nil, err
	}
	return &integers{sparse.Integers{Source: r, Width: made.width()}, made.shape, made.extent().records}, nil
}

// grow returns an error if the integers decrease.
func (n *integers) grow(count int64) error {
	ok, err := n.Grow(count)
	if err == nil && !ok {
		err = refuse("a row ends before it starts")
	}
	return err
}

// expand returns the dense tensor. Each value is a block of the dimensions after the sparse ones. It reads the
// positions once to check that they are in ascending order, so that parts of the tensor can be read independently.
func (b *builder) expand(
	v pickle.Value, shape []int64, dims int, count int64, at sparse.Positions, of ...*integers,
) (*view, error) {
	values, err := b.tensor(v)
	if err != nil {
		return nil, err
	}
	if want := append([]int64{count}, shape[dims:]...); !slices.Equal(values.shape, want) {
		return nil, refuse("the values have shape %d instead of %d", values.shape, want)
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
			return nil, refuse("the number of elements overflows 63 bits")
		}
		if i < dims {
			blocks *= n
		}
	}
	if _, fits := product(t.elements, t.width()); !fits {
		return nil, refuse("the number of bytes overflows 63 bits")
	}
	if err := ascend(at, count, blocks); err != nil {
		return nil, err
	}
	block := t.width()
	for _, n := range shape[dims:] {
		block *= n
	}
	t.made = &sparse.Reader{At: at, Count: count, Values: r, Block: block, Size: t.size(), Refuse: refuse}
	t.records = values.extent().records
	for _, one := range of {
		t.records = append(t.records, one.records...)
	}
	return t, nil
}

// ascend returns an error if positions do not ascend or exceed the tensor, which has the given number of blocks.
func ascend(at sparse.Positions, count, blocks int64) error {
	last, sorted, err := sparse.Ascend(at, count)
	switch {
	case err != nil:
		return err
	case !sorted:
		return unsupportedf("a sparse tensor with unsorted or duplicate values: save it after coalesce() or to_dense()")
	case last >= blocks:
		return refuse("a value has position %d of %d", last, blocks)
	}
	return nil
}
