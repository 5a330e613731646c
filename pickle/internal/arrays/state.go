// States of dtypes and arrays.

package arrays

import (
	"github.com/weightools/safetensors/pickle/internal/dtype"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// StateCost returns the cost of checking a state, in cheap instructions.
func StateCost(state heap.Value) int64 {
	const field = 10
	return field * (state.Item(1).Len() + state.Item(3).Len() + state.Item(4).Len())
}

// Build checks the state of r, which a call of a maker creates. again reports that it has a state already.
func (t *Table) Build(m Maker, r, state heap.Value, again bool) dtype.Fault {
	switch m {
	case Dtype:
		return t.dtypeState(r, state)
	case Array:
		if again {
			return dtype.Bad("replaces the memory of an array")
		}
		return t.arrayState(state)
	case Scalar:
		return dtype.Odd("sets the state of a scalar, which has none")
	case FromBuffer, NDArray:
		return dtype.Bad("replaces the memory of an array")
	}
	return dtype.Fault{}
}

// dtypeState checks the state of a dtype. The dtypes of classes that other packages define are as unknown as the
// classes.
func (t *Table) dtypeState(r, state heap.Value) dtype.Fault {
	d := t.dtypes[r.Ref]
	if d == nil {
		c, _ := r.Called()
		if c.Args().Item(0).Kind() == heap.KindGlobal {
			return dtype.Odd("changes the dtype of a class that is not known")
		}
		return dtype.Bad("changes a dtype that NumPy does not write")
	}
	f := d.Build(state, t.known)
	if f.Text != "" {
		f.Text = "changes " + f.Text
	}
	return f
}

// arrayState checks the state of an array: a version, the shape, the dtype, the order, and the data. NumPy compares the
// size of bytes with the shape, but not the length of a list of objects.
func (t *Table) arrayState(state heap.Value) dtype.Fault {
	if version, ok := state.Item(0).Int(); !ok || version != 1 || state.Len() < 5 {
		return dtype.Odd("sets a state of an array that NumPy does not write")
	}
	d := t.Dtype(state.Item(2))
	if d == nil {
		return dtype.Odd("sets the dtype of an array to %s", state.Item(2).Summary())
	}
	if d.Array {
		return dtype.Bad("sets a dtype of arrays as that of an array, whose elements NumPy would not own")
	}
	shape, list := state.Item(1), state.Item(4)
	if d.Objects && (shape.Kind() != heap.KindTuple || list.Kind() != heap.KindList || list.Len() < count(shape)) {
		return dtype.Bad("fills an array of objects of shape %s from %s, which is too short", shape.Summary(), list.Summary())
	}
	return dtype.Fault{}
}

// count returns the number of elements of an array, or as many as no list has if the shape is invalid.
func count(shape heap.Value) int64 {
	const most = 1 << 31
	total := int64(1)
	for item := range shape.Items() {
		n, ok := item.Int()
		if !ok || n < 0 || n > most || total > most {
			return 1 << 62
		}
		total *= n
	}
	return total
}
