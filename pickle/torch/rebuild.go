// Calls that rebuild tensors, and their arguments.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// rebuilders maps the functions of torch/_utils.py and torch/_tensor.py that return tensors to their minimum number of
// arguments. Newer versions add arguments at the end.
var rebuilders = map[string]int64{
	"_rebuild_tensor":                        4, // storage, offset, size, stride
	"_rebuild_tensor_v2":                     4, // …, requires_grad, hooks[, metadata]
	"_rebuild_tensor_v3":                     7, // …, requires_grad, hooks, dtype[, metadata]
	"_rebuild_parameter":                     1, // data, requires_grad, hooks
	"_rebuild_parameter_with_state":          1, // data, requires_grad, hooks, state
	"_rebuild_device_tensor_from_cpu_tensor": 1, // tensor, dtype, device, requires_grad
	"_rebuild_device_tensor_from_numpy":      1, // array, dtype, device, requires_grad
	"_rebuild_xla_tensor":                    1, // former name of _rebuild_device_tensor_from_numpy
	"_rebuild_from_type":                     3, // function, type, arguments, dict
	"_rebuild_from_type_v2":                  3, // function, type, arguments, state

	"_rebuild_qtensor":           5, // storage, offset, size, stride, quantizer, requires_grad, hooks
	"_rebuild_sparse_tensor":     2, // layout, parts
	"_rebuild_sparse_csr_tensor": 2,

	"_rebuild_nested_tensor": 0, "_rebuild_meta_tensor_no_storage": 0, "_rebuild_wrapper_subclass": 0,
}

// rebuilderOf returns the name of the function in rebuilders that v is, or "".
func rebuilderOf(v pickle.Value) string {
	module, name, _ := v.Global()
	if module != "torch._utils" && module != "torch._tensor" && module != "torch.tensor" {
		return ""
	}
	if _, ok := rebuilders[name]; !ok {
		return ""
	}
	return name
}

// isTensor reports whether v is a tensor, valid or not.
func (b *builder) isTensor(v pickle.Value) bool {
	if c, ok := v.Called(); ok {
		return rebuilderOf(c.Callee()) != "" || isArray(c)
	}
	_, ok := b.byKey(v)
	return ok
}

// tensor returns the view for the tensor v. Tensors can be nested, for example in parameters.
func (b *builder) tensor(v pickle.Value) (*view, error) {
	const deepest = 16
	for range deepest {
		if t, ok := b.byKey(v); ok {
			return t.view()
		}
		c, ok := v.Called()
		if !ok {
			break
		}
		if isArray(c) {
			return b.array(c)
		}
		name, args, state := rebuilderOf(c.Callee()), c.Args(), pickle.Value{}
		for strings.HasPrefix(name, "_rebuild_from_type") {
			if err := enough(name, args); err != nil {
				return nil, err
			}
			name, args, state = rebuilderOf(args.Item(0)), args.Item(2), args.Item(3)
		}
		if name == "" {
			return nil, unsupportedf("a tensor that is rebuilt by an unknown function")
		}
		if err := enough(name, args); err != nil {
			return nil, err
		}
		if name == "_rebuild_wrapper_subclass" {
			return b.part(args, state)
		}
		if !isWrapper(name) {
			return b.rebuild(name, args)
		}
		v = args.Item(0)
		if !b.isTensor(v) {
			return nil, refuse("%s is called with %s instead of a tensor", name, tree.WhatIs(v))
		}
	}
	return nil, refuse("it is nested in more than %d tensors", deepest)
}

// enough returns an error for a call with too few arguments.
func enough(name string, args pickle.Value) error {
	if args.Kind() != pickle.KindTuple || args.Len() < rebuilders[name] {
		return refuse("%s needs at least %s, but has %d", name, wording.Count(rebuilders[name], "argument"), args.Len())
	}
	return nil
}

// isWrapper reports whether a function returns its first argument, except for properties that tensor files cannot
// store.
func isWrapper(name string) bool {
	switch name {
	case "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_device_tensor_from_cpu_tensor",
		"_rebuild_device_tensor_from_numpy", "_rebuild_xla_tensor":
		return true
	}
	return false
}

// rebuild returns the view for a call.
func (b *builder) rebuild(name string, args pickle.Value) (*view, error) {
	switch name {
	case "_rebuild_tensor", "_rebuild_tensor_v2":
		return b.typed(args)
	case "_rebuild_tensor_v3":
		return b.untyped(args)
	case "_rebuild_qtensor":
		return b.composed(args, b.quantized)
	case "_rebuild_meta_tensor_no_storage":
		return nil, unsupportedf("a tensor on device meta, which has no data")
	case "_rebuild_nested_tensor":
		return nil, unsupportedf("a nested tensor")
	}
	return b.composed(args, b.sparse)
}

// composed returns the view for a tensor that consists of other tensors. These must not be composed themselves, which
// limits the nesting.
func (b *builder) composed(args pickle.Value, of func(pickle.Value) (*view, error)) (*view, error) {
	if b.composing {
		return nil, refuse("it consists of tensors that are sparse or quantized themselves")
	}
	b.composing = true
	defer func() { b.composing = false }()
	return of(args)
}

// typed returns a view of a storage whose class gives the dtype.
func (b *builder) typed(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	return b.view(st, torchfile.DtypeOf(st.class), args, 6)
}

// untyped returns a view of a storage of bytes. An argument gives the dtype.
func (b *builder) untyped(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	_, name, ok := args.Item(6).Global()
	if !ok {
		return nil, refuse("the dtype is %s", tree.WhatIs(args.Item(6)))
	}
	return b.view(st, name, args, 7)
}

// view returns a view of a storage, with offset, size and stride in the arguments after it. The argument metadata lists
// operations that are applied to the data before use.
func (b *builder) view(st *storage, dtype string, args pickle.Value, metadata int) (*view, error) {
	const mostKeys = 16 // PyTorch has conj and neg
	lazy := args.Item(metadata)
	if lazy.Len() > mostKeys {
		return nil, refuse("the metadata has %s; the maximum is %d", wording.Count(lazy.Len(), "key"), mostKeys)
	}
	for key, value := range lazy.Pairs() {
		if on, ok := value.Bool(); ok && on {
			name, _ := key.Str()
			return nil, unsupportedf("a tensor with the lazy operation %s: save it after clone()", quoted(name))
		}
	}
	v := &view{storage: st}
	var ok bool
	if v.offset, ok = args.Item(1).Int(); !ok || v.offset < 0 {
		return nil, refuse("the offset is %s instead of a non-negative int", tree.WhatIs(args.Item(1)))
	}
	var err error
	if v.shape, err = ints(args.Item(2), "sizes"); err != nil {
		return nil, err
	}
	if v.stride, err = ints(args.Item(3), "strides"); err != nil {
		return nil, err
	}
	if v.dtype, err = dtypeOf(dtype); err != nil {
		return nil, err
	}
	return v, v.check()
}

// storage returns the storage that v is.
func (b *builder) storage(v pickle.Value) (*storage, error) {
	if c, ok := v.Called(); ok {
		if module, name, _ := c.Callee().Global(); module == "torch.storage" && name == "_load_from_bytes" {
			return b.once(c.Args().Item(0), func(v pickle.Value) (*storage, error) { return inner(v, b.opts.Pickle) })
		}
	}
	persistent, ok := v.Persistent()
	if !ok {
		return nil, refuse("the storage is %s", tree.WhatIs(v))
	}
	id, ok := torchfile.StorageOf(persistent)
	if !ok {
		return nil, refuse("the storage has an invalid ID: expected (\"storage\", class, key, location, elements)")
	}
	return b.storages.find(&id)
}
