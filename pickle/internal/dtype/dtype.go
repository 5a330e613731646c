// Dtypes: the arguments of numpy.dtype.

// Package dtype reads the dtypes in pickles, and judges their states.
//
// NumPy pickles a dtype as numpy.dtype("V12", False, True) and a state (numpy/_core/src/multiarray/descriptor.c,
// arraydescr_reduce), and believes the state without checking it: a state with other sizes, offsets or flags makes it
// read and write outside of arrays, or take numbers for pointers. Therefore only what NumPy itself writes is believed.
package dtype

import (
	"strconv"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

// A Dtype is what NumPy knows about the elements of an array.
type Dtype struct {
	Kind    byte  // the letter of the dtype: b, i, u, f, c, M, m, S, U, V or O, or x for a type of another package
	Size    int64 // bytes of an element
	Objects bool  // elements are, or contain, references to objects
	Array   bool  // an element is an array
	Big     bool  // the first byte of a number is the most significant

	// Built says that a state was set, and Used that a value with the dtype exists. From then on it must not change.
	Built, Used bool

	// Faulty says that the state has a fault. The other fields are not true then.
	Faulty bool

	flags  int64
	fields heap.Value // the dict with the fields, which the pickle can still change
	count  int64      // its length when the state was set
	lax    bool       // the size is that of the state
}

// MaxRank is the maximum number of dimensions of an array.
const MaxRank = 64

// maxSize is the maximum size of an element: NumPy's is a C int.
const maxSize = 1<<31 - 1

// Of returns the dtype that a call of numpy.dtype creates, or nil if NumPy would not pickle a dtype like that.
func Of(c heap.Result) *Dtype {
	args := c.Args()
	if kwargs, ok := c.Kwargs(); ok && kwargs.Len() > 0 || args.Len() < 1 || args.Len() > 3 {
		return nil
	}
	if n := args.Len(); n > 1 && !isFlag(args.Item(1), 0) || n > 2 && !isFlag(args.Item(2), 1) {
		return nil
	}
	if module, name, ok := args.Item(0).Global(); ok {
		return ofClass(module, name)
	}
	code, _ := args.Item(0).Str()
	return ofCode(code)
}

// isFlag reports whether v is False or 0, or True or 1.
func isFlag(v heap.Value, want int64) bool {
	if b, ok := v.Bool(); ok {
		return b == (want == 1)
	}
	i, ok := v.Int()
	return ok && i == want
}

// sizes are the sizes of the numbers of each kind.
var sizes = map[byte]string{
	'b': " 1 ", 'i': " 1 2 4 8 ", 'u': " 1 2 4 8 ", 'f': " 2 4 8 12 16 ", 'c': " 8 16 24 32 ", 'M': " 8 ", 'm': " 8 ",
	'O': " 4 8 ", // as large as a pointer of the machine that loads it
}

// Parse returns the dtype of a code such as "f4", as NumPy writes it, optionally with a byte order. It returns nil for
// anything else: NumPy understands names and lists of fields, too, such as "i4,O".
func Parse(code string) *Dtype {
	if len(code) > 0 && (code[0] == '<' || code[0] == '>' || code[0] == '|' || code[0] == '=') {
		code = code[1:]
	}
	return ofCode(code)
}

// ofCode parses a code without byte order.
func ofCode(code string) *Dtype {
	if len(code) < 2 || code[1] == '0' && len(code) > 2 {
		return nil
	}
	n, err := strconv.ParseUint(code[1:], 10, 31)
	if err != nil {
		return nil
	}
	d := &Dtype{Kind: code[0], Size: int64(n)}
	switch code[0] {
	case 'S', 'V':
		return d
	case 'U':
		if d.Size, d.flags = 4*d.Size, flagInit; d.Size > maxSize {
			return nil
		}
		return d
	case 'O':
		d.Objects, d.Size, d.flags = true, 8, flagsObject
	}
	known := sizes[code[0]]
	for i := 0; i+len(code) <= len(known); i++ {
		if known[i] == ' ' && known[i+1:i+len(code)] == code[1:] && known[i+len(code)] == ' ' {
			return d
		}
	}
	return nil
}

// ofClass returns the dtype of a class: numpy.record, or a number of ml_dtypes.
func ofClass(module, name string) *Dtype {
	switch module {
	case "numpy", "numpy.rec", "numpy.core.records":
		if name == "record" {
			return &Dtype{Kind: 'V', lax: true}
		}
	case "ml_dtypes", "ml_dtypes._ml_dtypes_ext":
		if size := foreign[name]; size > 0 {
			return &Dtype{Kind: 'x', Size: size, flags: flagSet}
		}
	}
	return nil
}

// foreign are the types of ml_dtypes with the bytes of an element.
var foreign = map[string]int64{
	"bfloat16": 2, "complex32": 4, "bcomplex32": 4,
	"float8_e3m4": 1, "float8_e4m3": 1, "float8_e4m3b11fnuz": 1, "float8_e4m3fn": 1, "float8_e4m3fnuz": 1,
	"float8_e5m2": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
	"float4_e2m1fn": 1, "float6_e2m3fn": 1, "float6_e3m2fn": 1,
	"int1": 1, "int2": 1, "int4": 1, "uint1": 1, "uint2": 1, "uint4": 1,
}

// Field returns the dtype and the offset of the field of a name, or nil. Of the dtypes, known returns those that were
// created before.
func (d *Dtype) Field(name string, known func(heap.Value) *Dtype) (inner *Dtype, offset int64) {
	for key, field := range d.fields.Pairs() {
		if text, _ := key.Str(); text == name {
			inner = known(field.Item(0))
			offset, _ = field.Item(1).Int()
		}
	}
	return inner, offset
}

// Changed reports whether the pickle added fields after the state was set: NumPy keeps the dict of the pickle.
func (d *Dtype) Changed() bool { return d.count != d.fields.Len() }
