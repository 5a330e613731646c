// Rebuilding: the calls that are tensors, and what they are called with.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// rebuilders has the functions of torch/_utils.py and torch/_tensor.py that give tensors,
// and how many arguments they take at least: over the years some were added at the end.
var rebuilders = map[string]int64{
	"_rebuild_tensor":                        4, // storage, offset, size, stride
	"_rebuild_tensor_v2":                     4, // …, requires_grad, hooks[, metadata]
	"_rebuild_tensor_v3":                     7, // …, requires_grad, hooks, dtype[, metadata]
	"_rebuild_parameter":                     1, // data, requires_grad, hooks
	"_rebuild_parameter_with_state":          1, // data, requires_grad, hooks, state
	"_rebuild_device_tensor_from_cpu_tensor": 1, // tensor, dtype, device, requires_grad
	"_rebuild_device_tensor_from_numpy":      1, // array, dtype, device, requires_grad
	"_rebuild_xla_tensor":                    1, // the former name of that
	"_rebuild_from_type":                     3, // function, type, arguments, dict
	"_rebuild_from_type_v2":                  3, // function, type, arguments, state

	"_rebuild_qtensor":           5, // storage, offset, size, stride, quantizer, requires_grad, hooks
	"_rebuild_sparse_tensor":     2, // layout, parts
	"_rebuild_sparse_csr_tensor": 2,

	"_rebuild_nested_tensor": 0, "_rebuild_meta_tensor_no_storage": 0, "_rebuild_wrapper_subclass": 0,
}

// A builder makes tensors of values.
type builder struct {
	storages storages
	opts     *Options
	within   map[pickle.Value]*storage // those that are bytes or text in the pickle itself

	composing bool // whether the tensor is a part of another
}

// rebuilderOf returns the name of the function of the table above that v is, "" if it is
// none.
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

// isTensor says whether v is a tensor, or would be if nothing were wrong with it.
func (b *builder) isTensor(v pickle.Value) bool {
	if c, ok := v.Called(); ok {
		return rebuilderOf(c.Callee()) != "" || isArray(c)
	}
	_, ok := b.byKey(v)
	return ok
}

// tensor returns the view of a storage that the tensor v is. Tensors are in others,
// as in parameters.
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
		name, args := rebuilderOf(c.Callee()), c.Args()
		for strings.HasPrefix(name, "_rebuild_from_type") {
			if err := enough(name, args); err != nil {
				return nil, err
			}
			name, args = rebuilderOf(args.Item(0)), args.Item(2)
		}
		if name == "" {
			return nil, unsupportedf("a tensor that a function rebuilds which is not known here")
		}
		if err := enough(name, args); err != nil {
			return nil, err
		}
		if !isWrapper(name) {
			return b.rebuild(name, args)
		}
		v = args.Item(0)
		if !b.isTensor(v) {
			return nil, refuse("%s is called with %s, and takes a tensor", name, whatIs(v))
		}
	}
	return nil, refuse("it is in more than %d others", deepest)
}

// enough refuses a call with too few arguments.
func enough(name string, args pickle.Value) error {
	if args.Kind() != pickle.KindTuple || args.Len() < rebuilders[name] {
		return refuse("%s takes %s at least, and has %d", name, wording.Count(rebuilders[name], "argument"), args.Len())
	}
	return nil
}

// isWrapper says whether a function returns its first argument, but for what no file
// of tensors has.
func isWrapper(name string) bool {
	switch name {
	case "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_device_tensor_from_cpu_tensor",
		"_rebuild_device_tensor_from_numpy", "_rebuild_xla_tensor":
		return true
	}
	return false
}

// rebuild returns the view that a call makes.
func (b *builder) rebuild(name string, args pickle.Value) (*view, error) {
	switch name {
	case "_rebuild_tensor", "_rebuild_tensor_v2":
		return b.typed(args)
	case "_rebuild_tensor_v3":
		return b.untyped(args)
	case "_rebuild_qtensor":
		return b.composed(args, b.quantized)
	case "_rebuild_meta_tensor_no_storage":
		return nil, unsupportedf("a tensor of the device meta, which has no numbers")
	case "_rebuild_nested_tensor":
		return nil, unsupportedf("a nested tensor")
	case "_rebuild_wrapper_subclass":
		return nil, unsupportedf("a tensor of a class that has its numbers elsewhere")
	}
	return b.composed(args, b.sparse)
}

// composed returns the view of a tensor that is made of others, none of which may be so
// itself: they are not looked into without end.
func (b *builder) composed(args pickle.Value, of func(pickle.Value) (*view, error)) (*view, error) {
	if b.composing {
		return nil, refuse("it is made of tensors that are sparse or quantized themselves")
	}
	b.composing = true
	defer func() { b.composing = false }()
	return of(args)
}

// typed returns the view of a storage whose class says what the elements are.
func (b *builder) typed(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	return b.view(st, storageDtypes[st.class], args, 6)
}

// untyped returns the view of a storage of bytes. An argument says what the elements
// are.
func (b *builder) untyped(args pickle.Value) (*view, error) {
	st, err := b.storage(args.Item(0))
	if err != nil {
		return nil, err
	}
	_, name, ok := args.Item(6).Global()
	if !ok {
		return nil, refuse("its dtype is %s", whatIs(args.Item(6)))
	}
	return b.view(st, name, args, 7)
}

// view returns the view of a storage that has offset, size and stride after it. Arguments
// from metadata on say what is done to the numbers before they are used.
func (b *builder) view(st *storage, dtype string, args pickle.Value, metadata int) (*view, error) {
	const mostKeys = 16 // there are conj and neg
	lazy := args.Item(metadata)
	if lazy.Len() > mostKeys {
		return nil, refuse("its metadata has %s, and %d are more than there are", wording.Count(lazy.Len(), "key"), mostKeys)
	}
	for key, value := range lazy.Pairs() {
		if on, ok := value.Bool(); ok && on {
			name, _ := key.Str()
			return nil, unsupportedf("a tensor with the lazy operation %s", quoted(name))
		}
	}
	v := &view{storage: st}
	var ok bool
	if v.offset, ok = args.Item(1).Int(); !ok || v.offset < 0 {
		return nil, refuse("its offset is %s, and an int from 0 is due", whatIs(args.Item(1)))
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
		return nil, refuse("its storage is %s", whatIs(v))
	}
	id, ok := torchfile.StorageOf(persistent)
	if !ok {
		return nil, refuse("the id of its storage is none: (\"storage\", class, key, location, elements) is due")
	}
	return b.storages.find(&id)
}

// once returns the storage that is made of a value in the pickle. It is made once, however
// many tensors have it.
func (b *builder) once(v pickle.Value, make func(pickle.Value) (*storage, error)) (*storage, error) {
	if st := b.within[v]; st != nil {
		return st, nil
	}
	st, err := make(v)
	if err == nil {
		b.within[v] = st
	}
	return st, err
}

// ints returns a tuple of ints from 0.
func ints(v pickle.Value, what string) ([]int64, error) {
	if c, ok := v.Called(); ok { // of torch.Size, which is a tuple
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList {
		return nil, refuse("its %s are %s, and a tuple is due", what, whatIs(v))
	}
	if v.Len() > maxRank {
		return nil, refuse("it has %d dimensions, and PyTorch has %d at most", v.Len(), maxRank)
	}
	list := make([]int64, 0, v.Len())
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, refuse("among its %s is %s that is none from 0", what, whatIs(item))
		}
		list = append(list, n)
	}
	return list, nil
}
