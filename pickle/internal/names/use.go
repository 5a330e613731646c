// Permitted uses of allowed names.

package names

// A Use says how a pickle may use a name.
type Use uint8

// The uses. None is the use of names that are dangerous, suspicious, or allowed by the user.
const (
	None          Use = iota
	Container         // called with plain values; items and attributes may be set
	Factory           // defaultdict: like Container, with a plain type or None as first argument
	Plain             // called with plain values
	Sized             // called with plain values; a number is a size in bytes
	Base              // object: only as a base class
	Value             // called with plain values; attributes may be set
	Class             // called with anything; attributes and items may be set
	Instance          // like Class, but its constructor is not called
	Constant          // never called
	View              // never called; it would use the memory of other objects, or open and overwrite files
	Storage           // never called; the class in the ID of a storage
	Typed             // called with arguments that match the signature
	Rebuild           // like Typed; returns a tensor, whose state may be set
	Array             // like Typed; returns an array or dtype, whose state may be set
	Tensor            // a tensor class: created empty, then its state is set
	FromType          // torch._tensor._rebuild_from_type_v2: calls its first argument
	Reconstructor     // copyreg._reconstructor: creates an object of the class in its first argument
	NewObj            // copyreg.__newobj__: likewise
	NewObjEx          // copyreg.__newobj_ex__: likewise
	Encode            // _codecs.encode: str to bytes, in one of five encodings
	GetAttr           // builtins.getattr: of a class, with a constant name
	Partial           // functools.partial: of a function that is not dangerous
	TypeOf            // builtins.type: of None, NotImplemented or Ellipsis
	Subscript         // operator.getitem: of a type in typing
	Ufunc             // numpy's _ufunc_reconstruct: with the constant name of a function of NumPy
	DillArray         // dill's _create_array: calls numpy's _reconstruct and sets the state of the result
	DillType          // dill's _load_type: with the constant name of a type
	LoadBytes         // torch.storage._load_from_bytes: of bytes that are analyzed in turn
)

var uses = map[string]Use{
	"": None, "container": Container, "factory": Factory, "plain": Plain, "sized": Sized, "base": Base, "value": Value,
	"class": Class, "instance": Instance, "constant": Constant, "view": View, "storage": Storage, "type": Typed,
	"rebuild": Rebuild, "array": Array, "tensor": Tensor, "fromtype": FromType, "reconstructor": Reconstructor,
	"newobj": NewObj, "newobjex": NewObjEx, "encode": Encode, "getattr": GetAttr,
	"partial": Partial, "loadbytes": LoadBytes, "typeof": TypeOf,
	"ufunc": Ufunc, "subscript": Subscript, "dillarray": DillArray, "dilltype": DillType,
}

// Free reports whether any arguments are permitted.
func (u Use) Free() bool { return u == None || u == Class || u == Instance }

// Creates reports whether a call creates an object of the class in its first argument.
func (u Use) Creates() bool { return u == Reconstructor || u == NewObj || u == NewObjEx }

// Builds reports whether BUILD may set the state of the result.
func (u Use) Builds() bool {
	switch u {
	case None, Container, Factory, Value, Class, Instance, Rebuild, Array, Tensor, FromType, Reconstructor, NewObj,
		NewObjEx:
		return true
	}
	return false
}

// Sets reports whether SETITEM and SETITEMS may set items of the result.
func (u Use) Sets() bool {
	switch u {
	case None, Container, Factory, Class, Instance, Reconstructor, NewObj, NewObjEx:
		return true
	}
	return false
}

// Conditional reports whether a name is dangerous unless it is called as its use requires.
func (u Use) Conditional() bool {
	switch u {
	case GetAttr, Partial, LoadBytes, TypeOf, Ufunc, Subscript:
		return true
	}
	return false
}
