// Axes, shapes, and tensors that are joined and cut.

package arrange

import (
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/source"
	"github.com/weightools/safetensors/internal/wording"
)

// Permute returns a tensor with its axes in another order, as numpy.transpose does: axis i of the result is axis
// order[i] of t. Elements that are narrower than a byte can only be moved together, as many as fill bytes.
func Permute(t *safetensors.Tensor, order ...int) (*safetensors.Tensor, error) {
	sorted := slices.Sorted(slices.Values(order))
	shape := make([]int64, len(order))
	for i, axis := range sorted {
		if axis != i || len(order) != len(t.Shape) {
			return nil, fault(t, "the axes %v are not those of its shape %s in another order", order, t.ShapeString())
		}
	}
	last := len(order)
	for ; last > 0 && order[last-1] == last-1; last-- {
	}
	moved := int64(1) // elements that stay next to each other
	for i, axis := range order {
		if shape[i] = t.Shape[axis]; i >= last {
			moved *= shape[i]
		}
	}
	if t.NumElems() == 0 || last == 0 {
		return safetensors.TensorAt(t.Name, t.Dtype, shape, t.ReaderAt)
	}
	unit, ok := t.Dtype.Size(moved)
	if !ok {
		return nil, fault(t, "%s are narrower than a byte, and cannot be moved one by one", t.Dtype)
	}
	return safetensors.TensorAt(t.Name, t.Dtype, shape, source.Permuted(t.Name, t.ReaderAt, unit, t.Shape[:last], order[:last]))
}

// Transpose returns a tensor with two axes exchanged. Negative axes count from the end.
func Transpose(t *safetensors.Tensor, a, b int) (*safetensors.Tensor, error) {
	order := make([]int, len(t.Shape))
	for i := range order {
		order[i] = i
	}
	a, okA := axisOf(a, len(order))
	b, okB := axisOf(b, len(order))
	if !okA || !okB {
		return nil, fault(t, "its shape %s has no axes %d and %d", t.ShapeString(), a, b)
	}
	order[a], order[b] = order[b], order[a]
	return Permute(t, order...)
}

// axisOf returns an axis counted from the start, and whether it exists among n.
func axisOf(axis, n int) (int, bool) {
	if axis < 0 {
		axis += n
	}
	return axis, axis >= 0 && axis < n
}

// Reshape returns a tensor with another shape for the same elements. One dimension may be -1: it is computed.
func Reshape(t *safetensors.Tensor, shape ...int64) (*safetensors.Tensor, error) {
	shape = slices.Clone(shape)
	open, n := -1, int64(1)
	for i, d := range shape {
		if d == -1 && open < 0 {
			open = i
			continue
		}
		if d < 0 || d > 0 && n > (1<<62)/d {
			return nil, fault(t, "%v is not a shape", shape)
		}
		n *= d
	}
	if open >= 0 && n > 0 {
		shape[open] = t.NumElems() / n
		n *= shape[open]
	}
	if n != t.NumElems() || open >= 0 && shape[open] < 0 {
		return nil, fault(t, "its shape %s does not become %v", t.ShapeString(), shape)
	}
	return safetensors.TensorAt(t.Name, t.Dtype, shape, t.ReaderAt)
}

// Join returns the tensors one after the other along an axis, as numpy.concatenate does. They have one dtype, and the
// same dimensions but for that axis.
func Join(name string, axis int, tensors ...*safetensors.Tensor) (*safetensors.Tensor, error) {
	first := tensors[0]
	axis, ok := axisOf(axis, len(first.Shape))
	if !ok {
		return nil, fault(first, "its shape %s has no axis %d", first.ShapeString(), axis)
	}
	shape := slices.Clone(first.Shape)
	shape[axis] = 0
	rounds := product(shape[:axis])
	parts := make([]source.Part, len(tensors))
	for i, t := range tensors {
		if t.Dtype != first.Dtype || len(t.Shape) != len(shape) ||
			!slices.Equal(t.Shape[:axis], shape[:axis]) || !slices.Equal(t.Shape[axis+1:], shape[axis+1:]) {
			return nil, fault(t, "%s %s cannot be joined along axis %d with %s, which is %s %s", t.Dtype, t.ShapeString(),
				axis, wording.Quote(first.Name), first.Dtype, first.ShapeString())
		}
		shape[axis] += t.Shape[axis]
		run, whole := t.Dtype.Size(product(t.Shape[axis:]))
		if !whole {
			return nil, fault(t, "its rows of %s do not fill whole bytes", t.Dtype)
		}
		parts[i] = source.Part{R: t.ReaderAt, Run: run}
	}
	return safetensors.TensorAt(name, first.Dtype, shape, source.Joined(name, rounds, parts))
}

// Stack returns tensors of one dtype and shape as one, with a first axis that counts them.
func Stack(name string, tensors ...*safetensors.Tensor) (*safetensors.Tensor, error) {
	rows := make([]*safetensors.Tensor, len(tensors))
	for i, t := range tensors {
		if !slices.Equal(t.Shape, tensors[0].Shape) {
			return nil, fault(t, "its shape %s differs from %s, the shape of %s, with which it is to be stacked",
				t.ShapeString(), tensors[0].ShapeString(), wording.Quote(tensors[0].Name))
		}
		row, err := Reshape(t, append([]int64{1}, t.Shape...)...)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return Join(name, 0, rows...)
}

// maxRows is how many tensors Unstack makes: more than a model has experts, since an empty tensor can claim any number.
const maxRows = 1 << 16

// Unstack returns the tensors that the first axis counts.
func Unstack(t *safetensors.Tensor) ([]*safetensors.Tensor, error) {
	if len(t.Shape) == 0 {
		return nil, fault(t, "it is a scalar, and cannot be unstacked")
	}
	if t.Shape[0] > maxRows {
		return nil, fault(t, "its first axis is %d long; at most %d tensors can be unstacked", t.Shape[0], maxRows)
	}
	rows := make([]*safetensors.Tensor, t.Shape[0])
	for i := range rows {
		row, err := t.Slice(safetensors.At(int64(i)))
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

// Cut cuts a tensor along an axis into parts whose sizes are in the given proportions. It is the inverse of [Join].
func Cut(t *safetensors.Tensor, axis int, weights ...int64) ([]*safetensors.Tensor, error) {
	axis, ok := axisOf(axis, len(t.Shape))
	if !ok {
		return nil, fault(t, "its shape %s has no axis %d", t.ShapeString(), axis)
	}
	var total int64
	for _, w := range weights {
		if w <= 0 || w > 1<<40 {
			return nil, fault(t, "it cannot be cut in the proportions %v", weights)
		}
		total += w
	}
	if t.Shape[axis]%total != 0 {
		return nil, fault(t, "axis %d of its shape %s cannot be cut in the proportions %v", axis, t.ShapeString(), weights)
	}
	parts := make([]*safetensors.Tensor, len(weights))
	at := int64(0)
	for i, w := range weights {
		ranges := make([]safetensors.Range, axis+1)
		n := t.Shape[axis] / total * w
		ranges[axis] = safetensors.Between(at, at+n)
		at += n
		part, err := t.Slice(ranges...)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return parts, nil
}

// product returns the product of dimensions of a tensor.
func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// fault returns an error about a tensor.
func fault(t *safetensors.Tensor, format string, args ...any) error {
	return fmt.Errorf("tensor %s: "+format, append([]any{wording.Quote(t.Name)}, args...)...)
}

// A Made tensor is one that is written, and what it is made of.
type Made struct {
	*safetensors.Tensor
	From []*safetensors.Tensor // none if its values are new
	How  string                // how its bytes are arranged; "" if they are those of From, which then is one tensor
}
