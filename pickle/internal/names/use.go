// Uses: what may be done with a name that is allowed.

package names

// A Use says what may be done with a name.
type Use uint8

// The uses. A name of use None is dangerous, doubtful, or was allowed by a user.
const (
	None          Use = iota
	Container         // called with plain values; items may be set, and attributes
	Factory           // defaultdict: the same, and the first argument is a plain type or None
	Plain             // called with plain values
	Sized             // called with plain values, of which a number is a size in bytes
	Base              // object: a base, and nothing else
	Value             // called with plain values; attributes may be set
	Class             // called with anything; attributes and items may be set
	Constant          // never called
	Storage           // never called; the class in the id of a storage
	Typed             // called with arguments as the signature says
	Rebuild           // the same, and gives a tensor, whose state may be set
	Array             // the same, and gives an array or dtype, whose state may be set
	Tensor            // a class of tensors: made empty, and its state set
	FromType          // torch._tensor._rebuild_from_type_v2: calls its first argument
	Reconstructor     // copyreg._reconstructor: makes an object of its first argument
	NewObj            // copyreg.__newobj__: the same
	NewObjEx          // copyreg.__newobj_ex__: the same
	Encode            // _codecs.encode: str to bytes, in one of five encodings
	GetAttr           // builtins.getattr: with a class and a constant name
	Partial           // functools.partial: with what is not dangerous itself
	LoadBytes         // torch.storage._load_from_bytes: with bytes that are judged
)

var uses = map[string]Use{"": None, "container": Container, "factory": Factory, "plain": Plain, "sized": Sized, "base": Base, "value": Value,
	"class": Class, "constant": Constant, "storage": Storage, "type": Typed, "rebuild": Rebuild, "array": Array, "tensor": Tensor,
	"fromtype": FromType, "reconstructor": Reconstructor, "newobj": NewObj, "newobjex": NewObjEx, "encode": Encode,
	"getattr": GetAttr, "partial": Partial, "loadbytes": LoadBytes}

// Builds is whether the state of what u makes may be set.
func (u Use) Builds() bool {
	switch u {
	case None, Container, Factory, Value, Class, Rebuild, Array, Tensor, FromType, Reconstructor, NewObj, NewObjEx:
		return true
	}
	return false
}

// Sets is whether items of what u makes may be set, by SETITEM or SETITEMS.
func (u Use) Sets() bool {
	switch u {
	case None, Container, Factory, Class, Reconstructor, NewObj, NewObjEx:
		return true
	}
	return false
}
