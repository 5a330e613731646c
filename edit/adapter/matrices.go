// Matrices: those of a module that joins others, and of the modules that it is cut into.

package adapter

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
)

// joinModules returns the module whose outputs are those of the parts one after the other; a part that is not modified
// is nil. Its change of the weights is the same as that of all parts: if they have one down matrix, the up matrices
// are joined, otherwise the rank is the sum of their ranks, and the up matrix has a block for each part and zeros
// besides.
func joinModules(path string, parts []*module, weights []int64) (*module, error) {
	var have []*module
	for _, p := range parts {
		if p != nil {
			have = append(have, p)
		}
	}
	first := have[0]
	for _, p := range have {
		switch {
		case !p.isLoRA():
			return nil, fmt.Errorf("module %s is joined with others in %s, which only LoRA allows", wording.Quote(p.path),
				wording.Quote(path))
		case !same(p.scale(), first.scale()):
			return nil, fmt.Errorf("modules %s and %s are joined in %s, and alpha scales one by %v and the other by %v",
				wording.Quote(first.path), wording.Quote(p.path), wording.Quote(path), first.scale(), p.scale())
		case p.magnitude.is() != first.magnitude.is() || p.magnitude.is() && len(have) < len(parts):
			return nil, fmt.Errorf("modules that are joined in %s are not all of DoRA", wording.Quote(path))
		}
	}
	sizes, err := sizesOf(path, parts, weights)
	if err != nil {
		return nil, err
	}
	m := *first
	m.path, m.flat, m.label, m.scalar = path, false, "", matrix{}
	if first.magnitude.is() {
		if m.magnitude, err = joined(0, matricesOf(have, func(p *module) matrix { return p.magnitude })); err != nil {
			return nil, err
		}
	}
	downs := matricesOf(have, func(p *module) matrix { return p.down })
	if len(have) == len(parts) && len(have) > 1 {
		shared, err := equal(downs)
		if err != nil {
			return nil, err
		}
		if shared {
			m.down.from = made(m.down.Tensor, "", downs...).from
			m.up, err = joined(0, matricesOf(have, func(p *module) matrix { return p.up }))
			return &m, err
		}
	}
	if m.down, err = joined(0, downs); err != nil {
		return nil, err
	}
	if m.up, err = blocks(parts, sizes, m.down.Shape[0]); err != nil {
		return nil, err
	}
	if first.alpha > 0 {
		m.alpha = first.scale() * float64(m.rank())
	}
	return &m, nil
}

func matricesOf(modules []*module, get func(*module) matrix) []matrix {
	list := make([]matrix, len(modules))
	for i, m := range modules {
		list[i] = get(m)
	}
	return list
}

// joined returns matrices one after the other.
func joined(axis int, list []matrix) (matrix, error) {
	tensors := make([]*safetensors.Tensor, len(list))
	for i, m := range list {
		tensors[i] = m.Tensor
	}
	t, err := arrange.Join(list[0].Name, axis, tensors...)
	return made(t, "joined", list...), err
}

// sizesOf returns the numbers of outputs of all parts. Those of missing parts follow from the weights, which say how
// the sizes relate; nil means that they are equal.
func sizesOf(path string, parts []*module, weights []int64) ([]int64, error) {
	if weights == nil {
		weights = slices.Repeat([]int64{1}, len(parts))
	}
	sizes := make([]int64, len(parts))
	unit := int64(0)
	for i, p := range parts {
		if p == nil {
			continue
		}
		if sizes[i] = p.up.Shape[0]; sizes[i]%weights[i] != 0 || unit > 0 && sizes[i]/weights[i] != unit {
			return nil, fmt.Errorf("module %s has %d outputs, which do not fit the others that are joined in %s",
				wording.Quote(p.path), sizes[i], wording.Quote(path))
		}
		unit = sizes[i] / weights[i]
	}
	for i := range sizes {
		sizes[i] = unit * weights[i]
	}
	return sizes, nil
}

// blocks returns the up matrix with a block for each part and zeros besides.
func blocks(parts []*module, sizes []int64, rank int64) (matrix, error) {
	var rows []matrix
	var used []matrix
	before := int64(0) // columns
	var like matrix
	for _, p := range parts {
		if p != nil {
			like = p.up
		}
	}
	for i, p := range parts {
		left, right := before, rank-before
		var row []matrix
		if p != nil {
			before += p.rank()
			right = rank - before
			row, used = append(row, p.up), append(used, p.up)
		}
		if z, err := zeros(like, sizes[i], left); err != nil {
			return matrix{}, err
		} else if left > 0 {
			row = slices.Insert(row, 0, z)
		}
		if z, err := zeros(like, sizes[i], right); err != nil {
			return matrix{}, err
		} else if right > 0 {
			row = append(row, z)
		}
		one, err := joined(1, row)
		if err != nil {
			return matrix{}, err
		}
		rows = append(rows, one)
	}
	m, err := joined(0, rows)
	return made(m.Tensor, "joined as blocks", used...), err
}

// zeros returns a matrix of zeros of the dtype and dimensions of another.
func zeros(like matrix, rows, columns int64) (matrix, error) {
	shape := slices.Clone(like.Shape)
	shape[0], shape[1] = rows, columns
	t, err := safetensors.TensorAt(like.Name, like.Dtype, shape, zeroReader{})
	return matrix{Tensor: t}, err
}

// A zeroReader has zeros everywhere.
type zeroReader struct{}

func (zeroReader) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

// chunk is how many bytes are read at once.
const chunk = 1 << 20

// equal reports whether matrices have the same shape and bytes.
func equal(list []matrix) (bool, error) {
	first := list[0]
	a, b := make([]byte, chunk), make([]byte, chunk)
	for _, m := range list[1:] {
		if m.Dtype != first.Dtype || !slices.Equal(m.Shape, first.Shape) {
			return false, nil
		}
		for at, size := int64(0), m.Size(); at < size; at += chunk {
			n := min(chunk, size-at)
			if err := bytesio.ReadFull(first.ReaderAt, a[:n], at); err != nil {
				return false, err
			}
			if err := bytesio.ReadFull(m.ReaderAt, b[:n], at); err != nil {
				return false, err
			}
			if !bytes.Equal(a[:n], b[:n]) {
				return false, nil
			}
		}
	}
	return true, nil
}

// cutModule returns the modules that a module joins, in the same order. If the up matrix has a block for each of them
// and zeros besides, each gets its block, and a part without a block is nil; otherwise all have the down matrix.
func cutModule(m *module, paths []string, weights []int64) ([]*module, error) {
	if !m.isLoRA() {
		return nil, fmt.Errorf("module %s joins several modules of diffusers, and only LoRA can be cut",
			wording.Quote(m.path))
	}
	if weights == nil {
		weights = slices.Repeat([]int64{1}, len(paths))
	}
	ups, err := cut(m.up, 0, weights)
	if err != nil {
		return nil, err
	}
	ranges, err := columns(ups)
	if err != nil {
		return nil, err
	}
	var magnitudes []matrix
	if m.magnitude.is() {
		ranges = nil // DoRA scales all outputs
		if magnitudes, err = cut(m.magnitude, 0, weights); err != nil {
			return nil, err
		}
	}
	parts := make([]*module, len(paths))
	for i, path := range paths {
		one := *m
		one.path, one.flat, one.up = path, false, ups[i]
		if magnitudes != nil {
			one.magnitude = magnitudes[i]
		}
		if ranges != nil {
			if ranges[i].n == 0 {
				continue
			}
			if err := one.narrow(ranges[i]); err != nil {
				return nil, err
			}
			one.scalar = matrix{}
			if m.alpha > 0 {
				one.alpha = m.scale() * float64(one.rank())
			}
		}
		parts[i] = &one
	}
	return parts, nil
}

// cut cuts a matrix along an axis.
func cut(m matrix, axis int, weights []int64) (list []matrix, err error) {
	tensors, err := arrange.Cut(m.Tensor, axis, weights...)
	for _, t := range tensors {
		list = append(list, made(t, "cut", m))
	}
	return list, err
}

// A span is some columns.
type span struct{ at, n, all int64 }

// narrow keeps the columns of the up matrix and the rows of the down matrix that a span has.
func (m *module) narrow(s span) error {
	which := min(1, int(s.at)) // the first part that is not empty, or the second
	weights := slices.DeleteFunc([]int64{s.at, s.n, s.all - s.at - s.n}, func(n int64) bool { return n == 0 })
	downs, err := cut(m.down, 0, weights)
	if err != nil {
		return err
	}
	ups, err := cut(m.up, 1, weights)
	if err != nil {
		return err
	}
	m.down, m.up = downs[which], ups[which]
	return nil
}

// columns returns the columns of each part that are not zero, if no two parts share one and together they have all.
// Otherwise it returns nil.
func columns(parts []matrix) ([]span, error) {
	var list []span
	total, next := parts[0].Shape[1], int64(0)
	for _, p := range parts {
		first, last, err := nonzero(p)
		if err != nil {
			return nil, err
		}
		if first < 0 {
			list = append(list, span{all: total})
			continue
		}
		if first < next {
			return nil, nil
		}
		// Zeros at the edges of a block belong to one of the two, and it does not matter to which.
		list = append(list, span{next, last + 1 - next, total})
		next = last + 1
	}
	if next == 0 {
		return nil, nil
	}
	for i := range list {
		if s := &list[i]; s.n > 0 && s.at+s.n == next {
			s.n = total - s.at
		}
	}
	return list, nil
}

// nonzero returns the first and the last column of a matrix that is not zero; -1 if all are.
func nonzero(m matrix) (first, last int64, err error) {
	rows, width := m.Shape[0], m.Shape[1]
	row, ok := m.Dtype.Size(m.NumElems() / max(rows, 1))
	if !ok || width == 0 || row == 0 || row%width != 0 {
		return 0, width - 1, nil
	}
	first, last = -1, -1
	unit := row / width
	some := max(1, chunk/row)
	buf := make([]byte, min(some, rows)*row)
	for at := int64(0); at < rows; at += some {
		n := min(some, rows-at)
		if err := bytesio.ReadFull(m.ReaderAt, buf[:n*row], at*row); err != nil {
			return 0, 0, err
		}
		for i, b := range buf[:n*row] {
			if b == 0 {
				continue
			}
			column := int64(i) % row / unit
			if first < 0 || column < first {
				first = column
			}
			last = max(last, column)
		}
	}
	return first, last, nil
}
