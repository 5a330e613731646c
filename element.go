// Elements as Go values.

package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/num"
	"github.com/weightools/safetensors/internal/source"
)

// An Element is a Go type that holds elements unchanged.
//
// The unsigned integer of the same width holds elements of a dtype without a Go
// type, such as BF16, bit by bit. Use DecodeAt to get such elements as numbers.
type Element interface {
	bool | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 |
		float32 | float64 | complex64
}

// native returns the dtype of the Go type T. The constraint has no "~", so T is
// one of these types.
func native[T Element]() Dtype {
	switch any(*new(T)).(type) {
	case bool:
		return BOOL
	case int8:
		return I8
	case uint8:
		return U8
	case int16:
		return I16
	case uint16:
		return U16
	case int32:
		return I32
	case uint32:
		return U32
	case int64:
		return I64
	case uint64:
		return U64
	case float32:
		return F32
	case float64:
		return F64
	}
	return C64
}

// NewTensor returns a tensor of the elements in data, which is not copied and
// must not be changed while the tensor is used. The type T determines the
// dtype: F32 for float32, and so on. It is an error if the length of data is
// not the number of elements of the shape. Without a shape, the tensor is a
// scalar.
//
// Use [TensorAt] for dtypes that have no Go type.
func NewTensor[T Element](name string, data []T, shape ...int64) (*Tensor, error) {
	n, fits := header.Product(shape)
	if !fits || n != uint64(len(data)) {
		ti := TensorInfo{Shape: shape}
		return nil, fmt.Errorf("safetensors: tensor %s: the shape %s does not have %d elements",
			quote(name), ti.ShapeString(), len(data))
	}
	b := bytesOf(data)
	t := &Tensor{TensorInfo: TensorInfo{
		Name: name, Dtype: native[T](), Shape: slices.Clone(shape), Offsets: Span{0, int64(len(b))},
	}}
	if size := partSize(t.Dtype); littleEndian || size == 1 {
		t.ReaderAt = source.InMemory(name, b)
	} else {
		t.ReaderAt = source.Reversed(name, b, size)
	}
	return t, nil
}

// Read reads all elements of t. T must be the type of t's dtype or the unsigned
// integer of its width: a C64 is a complex64, or a uint64 with the real part in
// its lower half. Elements of 4 and 6 bits have no such type; use DecodeAt, or
// Bytes for the packed bytes.
//
// A BOOL byte other than 0 and 1 is an error if T is bool. As a uint8 it is
// returned unchanged, and DecodeAt returns 1.
func Read[T Element](t *Tensor) ([]T, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	d := native[T]()
	if d != t.Dtype && d != unsigned(t.Dtype.Bits()) {
		return nil, wrongType(t, *new(T))
	}
	if t.Size() > maxAlloc {
		return nil, fmt.Errorf("safetensors: tensor %s has %d bytes, too many for the memory of this machine: "+
			"read it in parts",
			quote(t.Name), t.Size())
	}
	data := alloc[T](t, t.NumElems())
	b := bytesOf(data)
	if len(b) == 0 {
		return data, nil
	}
	if n, err := t.ReadAt(b, 0); n < len(b) {
		return nil, source.Early(t.Name, int64(n), err)
	}
	if d == BOOL {
		if i := slices.IndexFunc(b, func(c byte) bool { return c > 1 }); i >= 0 {
			return nil, fmt.Errorf("safetensors: tensor %s: element %d is %d, expected a BOOL of 0 or 1: read "+
				"it as uint8",
				quote(t.Name), i, b[i])
		}
	}
	if !littleEndian {
		source.Reverse(b, partSize(d))
	}
	return data, nil
}

// littleEndian reports whether numbers in memory have the byte order of files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// partSize returns the size in bytes of the numbers in elements of dtype d. A
// C64 has two of them.
func partSize(d Dtype) int {
	if d == C64 {
		return 4
	}
	return d.Bits() / 8
}

// maxAlloc is the largest number of bytes to ask the runtime for. On 64-bit
// machines it panics above about 2^47, which is more than their memory.
const maxAlloc = min(math.MaxInt, 1<<46)

// unsigned returns the dtype of unsigned integers of the given width, or "".
func unsigned(bits int) Dtype {
	switch bits {
	case 8:
		return U8
	case 16:
		return U16
	case 32:
		return U32
	case 64:
		return U64
	}
	return ""
}

// wrongType returns the error of reading t as elements like v, with what to do
// instead.
func wrongType(t *Tensor, v any) error {
	bits := t.Dtype.Bits()
	if bits < 8 {
		return fmt.Errorf("safetensors: tensor %s is %s (%d bits), which cannot be read as %T: use DecodeAt, or "+
			"Bytes for the packed bytes",
			quote(t.Name), t.Dtype, bits, v)
	}
	return fmt.Errorf("safetensors: tensor %s is %s, which cannot be read as %T: read it as uint%d, or as "+
		"floats with DecodeAt",
		quote(t.Name), t.Dtype, v, bits)
}

// DecodeAt reads len(dst) elements of t as floats, from element off on in
// row-major order, and returns the number of elements read. Like io.ReaderAt,
// it returns io.EOF if there are fewer. With any other error, dst[:n] is valid.
//
// DecodeAt accepts every dtype except C64. Numbers that T cannot represent are
// rounded once to the nearest, ties to even: an F64 as float32, and large
// integers. All others are exact. A BOOL is 0 or 1. Several goroutines may
// decode from one tensor at once.
func DecodeAt[T float32 | float64](t *Tensor, dst []T, off int64) (n int, err error) {
	switch err := t.check(); {
	case err != nil:
		return 0, err
	case t.Dtype == C64:
		return 0, fmt.Errorf("safetensors: tensor %s is C64, with pairs of numbers as elements: use Read[complex64]",
			quote(t.Name))
	case off < 0:
		return 0, fmt.Errorf("safetensors: a read of tensor %s at the negative element %d", quote(t.Name), off)
	case len(dst) == 0:
		return 0, nil
	}
	left := t.NumElems() - off
	if left <= 0 {
		return 0, io.EOF
	}
	part := dst[:min(int64(len(dst)), left)]
	if native[T]() == t.Dtype && littleEndian {
		n, err = readAt(t, part, off)
	} else {
		n, err = decodeAt(t, part, off)
	}
	if err == nil && n < len(dst) {
		err = io.EOF
	}
	return n, err
}

// readAt is DecodeAt without a conversion: it reads the elements into dst.
func readAt[T float32 | float64](t *Tensor, dst []T, off int64) (int, error) {
	b := bytesOf(dst)
	size := len(b) / len(dst)
	n, err := t.ReadAt(b, off*int64(size))
	if n < len(b) {
		return n / size, source.Early(t.Name, off*int64(size)+int64(n), err)
	}
	return len(dst), nil
}

// decodeAt is DecodeAt with a buffer, which is decoded while it is in the
// cache.
func decodeAt[T float32 | float64](t *Tensor, dst []T, off int64) (int, error) {
	codec, elements := num.For(string(t.Dtype)), t.elements()
	buf := source.Buffers.Get().(*source.Buffer)
	defer source.Buffers.Put(buf)
	for n := 0; n < len(dst); {
		part := dst[n:min(len(dst), n+elements.Most())]
		b, skip, got, err := elements.Load(buf, off+int64(n), len(part))
		num.Decode(codec, part[:got], b, skip)
		n += got
		if err != nil {
			return n, err
		}
	}
	return len(dst), nil
}

// bytesOf returns the memory of data, in the machine's byte order.
//
// This use of unsafe is valid: the types of Element have neither pointers nor
// padding, so data is len(data) times the size of T in bytes, and every byte
// may be read. Every value may be written, except to a bool: Read checks the
// bytes of bools before it returns them. Bytes need no alignment. The result
// keeps the memory alive, and its length fits an int since the memory exists.
func bytesOf[T Element](data []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
}
