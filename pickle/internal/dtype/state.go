// States of dtypes.

package dtype

import "github.com/weightools/safetensors/pickle/internal/heap"

// The flags of dtypes (numpy/ndarraytypes.h).
const (
	flagRefcount = 0x01
	flagPickle   = 0x02
	flagPointer  = 0x04
	flagInit     = 0x08
	flagAPI      = 0x10
	flagGet      = 0x20
	flagSet      = 0x40
	flagAligned  = 0x80

	flagsObject = flagRefcount | flagPickle | flagPointer | flagInit | flagAPI | flagGet
	flagsHolds  = flagRefcount | flagPickle | flagInit | flagAPI // of a dtype with fields, some of which are objects
)

// Build sets the state. Of the dtypes in it, known returns those that were created before, or nil.
//
// The state is a version, the byte order, the base and the shape of a dtype of arrays, the names of the fields, a dict
// of fields, the size, the alignment and the flags; version 4 adds metadata, which times have.
func (d *Dtype) Build(state heap.Value, known func(heap.Value) *Dtype) Fault {
	f := d.build(state, known)
	d.Faulty = d.Faulty || f.Text != ""
	return f
}

// build is Build without a record of the fault.
func (d *Dtype) build(state heap.Value, known func(heap.Value) *Dtype) Fault {
	if d.Built {
		return Bad("a dtype that has a state")
	}
	if d.Used {
		return Bad("a dtype that an array has")
	}
	d.Built = true
	version, ok := state.Item(0).Int()
	if !ok || !(version == 3 && state.Len() == 8 || version == 4 && state.Len() == 9) {
		return Odd("a dtype to a state that NumPy does not write")
	}
	order, ok := state.Item(1).Str()
	if !ok || len(order) != 1 {
		return Odd("the byte order of a dtype to something that NumPy does not write")
	}
	d.Big = order == ">"
	if d.lax {
		d.Size, _ = state.Item(5).Int()
	}
	type check = func(heap.Value, func(heap.Value) *Dtype) Fault
	for _, check := range [...]check{d.base, d.named, d.sized, d.flagged, d.meta} {
		if f := check(state, known); f.Text != "" {
			return f
		}
	}
	return Fault{}
}

// base checks the dtype and the shape of a dtype of arrays.
func (d *Dtype) base(state heap.Value, known func(heap.Value) *Dtype) Fault {
	sub := state.Item(2)
	if sub.IsNone() {
		return Fault{}
	}
	base := known(sub.Item(0))
	shape := sub.Item(1)
	if base == nil || sub.Len() != 2 || d.Kind != 'V' || !state.Item(3).IsNone() || shape.Kind() != heap.KindTuple ||
		shape.Len() > MaxRank {
		return Bad("a dtype of arrays to something that NumPy does not write")
	}
	base.Used = true
	size := base.Size
	for n := range shape.Items() {
		i, ok := n.Int()
		if !ok || i < 0 || i > maxSize || size > maxSize {
			return Bad("the shape of a dtype of arrays to something that NumPy does not write")
		}
		size *= i
	}
	if size != d.Size {
		return Bad("a dtype of %d bytes to arrays of %d", d.Size, size)
	}
	d.Array, d.Objects, d.flags = true, base.Objects, base.flags
	return Fault{}
}

// named checks the names of fields, and the fields.
func (d *Dtype) named(state heap.Value, known func(heap.Value) *Dtype) Fault {
	names, dict := state.Item(3), state.Item(4)
	if names.IsNone() && dict.IsNone() {
		return Fault{}
	}
	if d.Kind != 'V' || names.Kind() != heap.KindTuple || dict.Kind() != heap.KindDict {
		return Bad("the fields of a dtype to something that NumPy does not write")
	}
	d.fields, d.count = dict, dict.Len()
	wanted := map[string]bool{}
	for name := range names.Items() {
		text, ok := name.Str()
		if !ok || wanted[text] {
			return Bad("the names of the fields of a dtype to something that NumPy does not write")
		}
		wanted[text] = true
	}
	var fields spans
	for key, field := range dict.Pairs() {
		name, ok := key.Str()
		if !ok || !wanted[name] && field.Len() != 3 {
			return Bad("a field of a dtype that has no name")
		}
		span, f := d.field(field, known)
		if f.Text != "" {
			return f
		}
		if wanted[name] { // the others are titles, which refer to the same fields
			delete(wanted, name)
			fields = append(fields, span)
		}
	}
	if len(wanted) > 0 {
		return Bad("the names of a dtype to fields that do not exist")
	}
	if d.Objects && fields.overlap() {
		return Bad("the fields of a dtype to objects that overlap")
	}
	return Fault{}
}

// field checks a field: its dtype, its offset, and optionally its title.
func (d *Dtype) field(field heap.Value, known func(heap.Value) *Dtype) (span, Fault) {
	inner := known(field.Item(0))
	offset, ok := field.Item(1).Int()
	if inner == nil || !ok || field.Len() < 2 || field.Len() > 3 {
		return span{}, Bad("a field of a dtype to something that NumPy does not write")
	}
	inner.Used = true
	if offset < 0 || offset > d.Size || inner.Size > d.Size-offset {
		return span{}, Bad("a field of a dtype of %d bytes to bytes %d to %d", d.Size, offset, offset+inner.Size)
	}
	d.Objects = d.Objects || inner.Objects
	return span{offset, offset + inner.Size}, Fault{}
}

// sized checks the size and the alignment of an element, which only some kinds have.
func (d *Dtype) sized(state heap.Value, _ func(heap.Value) *Dtype) Fault {
	size, ok := state.Item(5).Int()
	align, ok2 := state.Item(6).Int()
	if !ok || !ok2 {
		return Bad("the size of a dtype to something that is not a number")
	}
	switch d.Kind {
	case 'S', 'U', 'V', 'x':
		if size != d.Size || size < 0 || size > maxSize {
			return Bad("the size of a dtype of %d bytes to %d", d.Size, size)
		}
		if align < 1 || align > 64 || align&(align-1) != 0 {
			return Bad("the alignment of a dtype to %d bytes", align)
		}
	default:
		if size != -1 || align != -1 {
			return Odd("the size of a dtype that has none of its own to %d bytes", size)
		}
	}
	return Fault{}
}

// flagged checks the flags, which say among other things whether elements are pointers to objects.
func (d *Dtype) flagged(state heap.Value, _ func(heap.Value) *Dtype) Fault {
	flags, ok := state.Item(7).Int()
	if !ok || flags < -128 || flags > 255 {
		return Bad("the flags of a dtype to something that is not a byte")
	}
	flags &= 255 // NumPy before 2 writes a signed byte
	holds, may := int64(0), int64(flagInit|flagAPI|flagAligned)
	switch {
	case d.Kind == 'O' || !state.Item(2).IsNone():
		holds, may = d.flags&^flagAligned, d.flags|flagAligned // a dtype of arrays has those of its base
	case d.Objects:
		holds, may = flagsHolds, flagsHolds|flagAligned
	case d.Kind == 'x':
		may = flagAPI | flagGet | flagSet
	}
	if flags&holds != holds || flags&^may != 0 {
		return Bad("the flags of a dtype to %d, which contradicts whether its elements are objects", flags)
	}
	d.flags = flags
	return Fault{}
}

// meta checks the metadata: a dict, and for times a tuple of a dict and a unit.
func (d *Dtype) meta(state heap.Value, _ func(heap.Value) *Dtype) Fault {
	if state.Len() < 9 {
		return Fault{}
	}
	meta := state.Item(8)
	if d.Kind == 'M' || d.Kind == 'm' {
		if meta.Len() != 2 || meta.Item(1).Kind() != heap.KindTuple {
			return Bad("the unit of a dtype of times to something that NumPy does not write")
		}
		meta = meta.Item(0)
	}
	if !meta.IsNone() && meta.Kind() != heap.KindDict {
		return Bad("the metadata of a dtype to something that is not a dict")
	}
	return Fault{}
}
