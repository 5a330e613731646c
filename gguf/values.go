// The elements of tensors.

package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf/internal/block"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/source"
	"github.com/weightools/safetensors/internal/wording"
)

// Tensor returns a tensor of the file. Its dtype is that of its type, or F32 for types with blocks: their elements are
// decoded when they are read, exactly as ggml does. It reads nothing. It is an error if the type is unknown, or if the
// tensor is invalid; the error wraps [errors.ErrUnsupported] for a valid tensor that cannot be decoded.
func (f *File) Tensor(t *TensorInfo) (*safetensors.Tensor, error) {
	switch {
	case !t.Type.Known():
		return nil, fmt.Errorf("gguf: tensor %s is of %v, which llama.cpp does not have: %w",
			wording.Quote(t.Name), t.Type, errors.ErrUnsupported)
	case t.size < 0 || t.Span.Len() != t.size || t.size > 0 && t.Span.End > f.size:
		return nil, fmt.Errorf("gguf: tensor %s is invalid or cut off", wording.Quote(t.Name))
	}
	info := safetensors.TensorInfo{Name: t.Name, Dtype: t.Type.Dtype(), Shape: t.Shape()}
	section := io.NewSectionReader(f.r, t.Span.Begin, t.size)
	if info.Dtype != "" {
		info.Offsets.End = t.size
		if width := info.Dtype.Bits() / 8; f.BigEndian && width > 1 {
			return &safetensors.Tensor{TensorInfo: info, ReaderAt: reversed(t, section, width)}, nil
		}
		return &safetensors.Tensor{TensorInfo: info, ReaderAt: section}, nil
	}
	b, n := block.Find(uint32(t.Type)), t.NumElems()
	switch {
	case f.BigEndian && !b.BigEndian():
		return nil, fmt.Errorf("gguf: tensor %s: no program defines %v in big-endian byte order: %w",
			wording.Quote(t.Name), t.Type, errors.ErrUnsupported)
	case n > math.MaxInt64/4:
		return nil, fmt.Errorf("gguf: tensor %s has %d elements, too many for F32", wording.Quote(t.Name), n)
	}
	info.Dtype, info.Offsets.End = safetensors.F32, 4*n
	return &safetensors.Tensor{TensorInfo: info, ReaderAt: decoded(t, section, b, f.BigEndian)}, nil
}

// Stored returns the bytes of a tensor as they are in the file.
func (f *File) Stored(t *TensorInfo) *io.SectionReader {
	return io.NewSectionReader(f.r, t.Span.Begin, max(0, min(t.Span.End, f.size)-t.Span.Begin))
}

// reversed reads numbers in big-endian byte order as little-endian.
func reversed(t *TensorInfo, r *io.SectionReader, width int) *source.Computed {
	p := source.Packing{Elems: 1, Bytes: int64(width)}
	return source.NewComputed(p, t.Name, t.size, p.Most(), func(dst []byte, first int64, n int) (int, error) {
		if err := bytesio.ReadFull(r, dst, first*p.Bytes); err != nil {
			return 0, err
		}
		source.Reverse(dst, width)
		return n, nil
	})
}

// elements are for the elements of blocks whose floats cannot be stored where they are wanted.
var elements = sync.Pool{New: func() any { return new([source.BufferSize / 4]float32) }}

// decoded reads blocks as F32 in little-endian byte order.
func decoded(t *TensorInfo, r *io.SectionReader, b *block.Type, bigEndian bool) *source.Computed {
	p := source.Packing{Elems: int64(b.Elements), Bytes: 4 * int64(b.Elements)}
	return source.NewComputed(p, t.Name, 4*t.NumElems(), p.Most(), func(dst []byte, first int64, n int) (int, error) {
		buf := source.Buffers.Get().(*source.Buffer)
		defer source.Buffers.Put(buf)
		blocks := buf[:n/b.Elements*b.Bytes] // a block takes less than its elements
		if err := bytesio.ReadFull(r, blocks, first/p.Elems*int64(b.Bytes)); err != nil {
			return 0, err
		}
		if bigEndian {
			b.Reverse(blocks)
		}
		if direct := bytesio.Floats(dst[:4*n]); direct != nil {
			b.Decode(direct, blocks)
			return n, nil
		}
		floats := elements.Get().(*[source.BufferSize / 4]float32)
		defer elements.Put(floats)
		b.Decode(floats[:n], blocks)
		for i, x := range floats[:n] {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(x))
		}
		return n, nil
	})
}
