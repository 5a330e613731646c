// States of dtypes and arrays.

package arrays

import "github.com/weightools/safetensors/pickle/internal/heap"

// StateCost returns the cost of checking a state, in cheap instructions.
func StateCost(state heap.Value) int64 {
	const field = 10
	return field * (state.Item(1).Len() + state.Item(3).Len() + state.Item(4).Len())
}

// Build checks the state of r, which a call of a maker creates. again reports that it has a state already.
func (t *Table) Build(m Maker, r, state heap.Value, again bool) Fault {
	switch m {
	case Dtype:
		return t.dtypeState(r, state)
	case Array:
		if again {
			return bad("replaces the memory of an array")
		}
		return t.arrayState(state)
	case Scalar:
		return odd("sets the state of a scalar, which has none")
	case FromBuffer, NDArray:
		return bad("replaces the memory of an array")
	}
	return Fault{}
}

// dtypeState checks the state of a dtype. The dtypes of classes that other packages define are as unknown as the classes.
func (t *Table) dtypeState(r, state heap.Value) Fault {
	d := t.dtypes[r.Ref]
	if d == nil {
		c, _ := r.Called()
		if c.Args().Item(0).Kind() == heap.KindGlobal {
			return odd("changes the dtype of a class that is not known")
		}
		return bad("changes a dtype that NumPy does not write")
	}
	f := d.Build(state, t.known)
	if f.Text == "" {
		return Fault{}
	}
	return Fault{f.Memory, "changes " + f.Text}
}

// arrayState checks the state of an array: a version, the shape, the dtype, the order, and the data. NumPy compares the
// size of bytes with the shape, but not the length of a list of objects.
func (t *Table) arrayState(state heap.Value) Fault {
	if version, ok := state.Item(0).Int(); !ok || version != 1 || state.Len() < 5 {
		return odd("sets a state of an array that NumPy does not write")
	}
	d := t.Dtype(state.Item(2))
	if d == nil {
		return odd("sets the dtype of an array to %s", state.Item(2).Summary())
	}
	if d.Array {
		return bad("sets a dtype of arrays as that of an array, whose elements NumPy would not own")
	}
	shape, list := state.Item(1), state.Item(4)
	if d.Objects && (shape.Kind() != heap.KindTuple || list.Kind() != heap.KindList || list.Len() < count(shape)) {
		return bad("fills an array of objects of shape %s from %s, which is too short", shape.Summary(), list.Summary())
	}
	return Fault{}
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
