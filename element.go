// Elements: a tensor's values as Go's, and Go's as a tensor.

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

// An Element is a Go type in which elements can be held as they are.
//
// A dtype that has no Go type of its own, such as BF16, is held in the
// unsigned integer of its width, bit for bit. DecodeAt gives such elements as
// numbers.
type Element interface {
	bool | int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 |
		float32 | float64 | complex64
}

// native returns the dtype whose Go type T is. Element has no "~", so T is one
// of these types, and not one derived from them.
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

// NewTensor returns a tensor whose elements are data, which is not copied, and
// must not be changed as long as the tensor is used. Its dtype is the one that
// T stands for: F32 if T is float32, and so on. It is an error if data is not
// as long as the shape says; without a shape, that is 1.
//
// For a dtype that has no Go type, put a Tensor together by hand, with a
// [bytes.Reader] of its bytes.
func NewTensor[T Element](name string, data []T, shape ...int64) (*Tensor, error) {
	n, fits := header.Product(shape)
	if !fits || n != uint64(len(data)) {
		ti := TensorInfo{Shape: shape}
		return nil, fmt.Errorf("safetensors: tensor %s: the shape %s is not that of %d elements", quote(name), ti.ShapeString(), len(data))
	}
	b := bytesOf(data)
	t := &Tensor{TensorInfo: TensorInfo{Name: name, Dtype: native[T](), Shape: slices.Clone(shape), Offsets: Span{0, int64(len(b))}}}
	if size := partSize(t.Dtype); littleEndian || size == 1 {
		t.ReaderAt = source.InMemory(name, b)
	} else {
		t.ReaderAt = source.Reversed(name, b, size)
	}
	return t, nil
}

// Read reads all of t. It is an error if T is neither the type of t's dtype
// nor the unsigned integer of its width: a C64, for example, is a complex64 or
// a uint64 with the real part in its lower half. Elements of 4 and 6 bits have
// neither type, and are for DecodeAt; or Bytes, which gives them packed.
//
// A byte of a BOOL that is neither 0 nor 1 is an error when it is read as a
// bool. As a uint8 it is read as it is, and by DecodeAt as 1.
func Read[T Element](t *Tensor) ([]T, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	d := native[T]()
	if d != t.Dtype && d != unsigned(t.Dtype.Bits()) {
		return nil, wrongType(t, *new(T))
	}
	if t.Size() > maxAlloc {
		return nil, fmt.Errorf("safetensors: tensor %s has %d bytes, more than this machine can hold: read it in parts", quote(t.Name), t.Size())
	}
	data := room[T](t, t.NumElems())
	b := bytesOf(data)
	if len(b) == 0 {
		return data, nil
	}
	if n, err := t.ReadAt(b, 0); n < len(b) {
		return nil, source.Early(t.Name, int64(n), err)
	}
	if d == BOOL {
		if i := slices.IndexFunc(b, func(c byte) bool { return c > 1 }); i >= 0 {
			return nil, fmt.Errorf("safetensors: tensor %s: element %d is %d, and a BOOL is 0 or 1: read it as uint8", quote(t.Name), i, b[i])
		}
	}
	if !littleEndian {
		source.Reverse(b, partSize(d))
	}
	return data, nil
}

// littleEndian says whether numbers lie in memory as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// partSize returns the bytes of a number of dtype d, of which a C64 has two.
func partSize(d Dtype) int {
	if d == C64 {
		return 4
	}
	return d.Bits() / 8
}

// maxAlloc is the most bytes to ask the runtime for. On 64-bit machines it
// panics above 2^47 or so, and there is less memory than that in any of them.
const maxAlloc = min(math.MaxInt, 1<<46)

// unsigned returns the dtype of unsigned integers of so many bits, or none.
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

// wrongType returns the error of reading t as elements like v. It says what can
// be done instead.
func wrongType(t *Tensor, v any) error {
	bits := t.Dtype.Bits()
	if bits < 8 {
		return fmt.Errorf("safetensors: tensor %s is %s, of %d bits, and cannot be read as %T: use DecodeAt, or Bytes for what it is packed in",
			quote(t.Name), t.Dtype, bits, v)
	}
	return fmt.Errorf("safetensors: tensor %s is %s, and cannot be read as %T: read it as uint%d, or as numbers with DecodeAt",
		quote(t.Name), t.Dtype, v, bits)
}

// DecodeAt reads len(dst) elements of t as numbers, from element off on in
// row-major order, and returns how many there were. It is to numbers what
// io.ReaderAt is to bytes, down to io.EOF at the end; the same buffer serves
// for a tensor of any size, and of any dtype but C64.
//
// With another error, it is that of reading t, and dst[:n] is good.
//
// A number that T cannot hold is rounded to the nearest, ties to even, once: an
// F64 as float32, and large integers. All others are exact. A BOOL is 0 or 1.
// Any number of goroutines may decode from one tensor.
func DecodeAt[T float32 | float64](t *Tensor, dst []T, off int64) (n int, err error) {
	switch err := t.check(); {
	case err != nil:
		return 0, err
	case t.Dtype == C64:
		return 0, fmt.Errorf("safetensors: tensor %s is C64, whose elements are pairs of numbers: use Read[complex64]", quote(t.Name))
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

// readAt is DecodeAt where there is nothing to decode: the elements are read to
// where they are wanted.
func readAt[T float32 | float64](t *Tensor, dst []T, off int64) (int, error) {
	b := bytesOf(dst)
	size := len(b) / len(dst)
	n, err := t.ReadAt(b, off*int64(size))
	if n < len(b) {
		return n / size, source.Early(t.Name, off*int64(size)+int64(n), err)
	}
	return len(dst), nil
}

// decodeAt is DecodeAt buffer by buffer, each decoded while it is in the cache.
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
// Unsafe, and sound: the twelve types of Element have neither pointers nor
// padding, so that data is len(data) times the size of T in bytes, all of which
// may be read. Any value may be written to them, too, but to those of a bool:
// Read looks at these as bytes, and lets no other than 0 and 1 out. A byte needs
// no alignment. The result keeps the memory alive, as data does, and reaches no
// further: its length, that of an object in memory, fits an int.
func bytesOf[T Element](data []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
}
