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
	"github.com/weightools/safetensors/internal/wording"
)

// Tensor returns a tensor of the file. Its dtype is that of its type, or F32 for types with blocks: their elements are
// decoded when they are read, exactly as ggml does. It reads nothing. It is an error if the type is unknown, or if the
// tensor is invalid; the error wraps [errors.ErrUnsupported] for a valid tensor that cannot be decoded.
func (f *File) Tensor(t *TensorInfo) (*safetensors.Tensor, error) {
	switch {
	case !t.Type.Known():
		return nil, fmt.Errorf("gguf: tensor %s is of %v, which llama.cpp does not have: %w", wording.Quote(t.Name),
			t.Type, errors.ErrUnsupported)
	case t.size < 0 || t.Span.Len() != t.size || t.size > 0 && t.Span.End > f.size:
		return nil, fmt.Errorf("gguf: tensor %s is invalid or cut off", wording.Quote(t.Name))
	}
	info := safetensors.TensorInfo{Name: t.Name, Dtype: t.Type.Dtype(), Shape: t.Shape()}
	section := io.NewSectionReader(f.r, t.Span.Begin, t.size)
	if info.Dtype != "" {
		info.Offsets.End = t.size
		if width := info.Dtype.Bits() / 8; f.BigEndian && width > 1 {
			return &safetensors.Tensor{TensorInfo: info, ReaderAt: &reversed{section, width}}, nil
		}
		return &safetensors.Tensor{TensorInfo: info, ReaderAt: section}, nil
	}
	b := block.Find(uint32(t.Type))
	n := t.NumElems()
	switch {
	case f.BigEndian && !b.BigEndian():
		return nil, fmt.Errorf("gguf: tensor %s: no program defines %v in big-endian byte order: %w",
			wording.Quote(t.Name), t.Type, errors.ErrUnsupported)
	case n > math.MaxInt64/4:
		return nil, fmt.Errorf("gguf: tensor %s has %d elements, too many for F32", wording.Quote(t.Name), n)
	}
	info.Dtype, info.Offsets.End = safetensors.F32, 4*n
	return &safetensors.Tensor{TensorInfo: info, ReaderAt: &decoded{section, b, f.BigEndian}}, nil
}

// Stored returns the bytes of a tensor as they are in the file.
func (f *File) Stored(t *TensorInfo) *io.SectionReader {
	return io.NewSectionReader(f.r, t.Span.Begin, max(0, min(t.Span.End, f.size)-t.Span.Begin))
}

// A decoded reads blocks as F32 in little-endian byte order.
type decoded struct {
	src       *io.SectionReader
	block     *block.Type
	bigEndian bool
}

// buffers are for blocks and their elements. Both together fit the second cache of a processor.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct {
	blocks   [64 << 10]byte
	elements [64 << 10]float32
}

// ReadAt implements [io.ReaderAt].
func (d *decoded) ReadAt(p []byte, off int64) (n int, err error) {
	size := d.src.Size() / int64(d.block.Bytes) * int64(d.block.Elements) * 4
	if off < 0 {
		return 0, errors.New("gguf: negative offset")
	}
	if left := max(size-off, 0); int64(len(p)) > left {
		p, err = p[:left], io.EOF
	}
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for n < len(p) {
		got, failed := d.some(p[n:], off+int64(n), buf)
		n += got
		if failed != nil {
			return n, failed
		}
	}
	return n, err
}

// some decodes as many blocks as fit the buffer.
func (d *decoded) some(p []byte, off int64, buf *buffer) (int, error) {
	unit := int64(d.block.Elements) * 4 // bytes of the elements of a block
	first, skip := off/unit, int(off%unit)
	most := min(len(buf.blocks)/d.block.Bytes, len(buf.elements)/d.block.Elements)
	count := int(min(int64(most), (int64(skip)+int64(len(p))+unit-1)/unit))
	b := buf.blocks[:count*d.block.Bytes]
	if n, err := d.src.ReadAt(b, first*int64(d.block.Bytes)); n < len(b) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	if d.bigEndian {
		d.block.Reverse(b)
	}
	elements := buf.elements[:count*d.block.Elements]
	d.block.Decode(elements, b)
	n := min(len(p), len(elements)*4-skip)
	put(p[:n], elements, skip)
	return n, nil
}

// put writes floats as little-endian bytes, from the byte skip on.
func put(p []byte, elements []float32, skip int) {
	elements, skip = elements[skip/4:], skip%4
	if skip > 0 || len(p)%4 != 0 {
		var word [4]byte
		for n := 0; n < len(p); elements, skip = elements[1:], 0 {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(elements[0]))
			n += copy(p[n:], word[skip:])
		}
		return
	}
	for i := range len(p) / 4 {
		binary.LittleEndian.PutUint32(p[4*i:], math.Float32bits(elements[i]))
	}
}

// A reversed reads numbers in big-endian byte order as little-endian.
type reversed struct {
	src   *io.SectionReader
	width int
}

// ReadAt implements [io.ReaderAt].
func (r *reversed) ReadAt(p []byte, off int64) (int, error) {
	w := int64(r.width)
	if off%w == 0 && int64(len(p))%w == 0 {
		n, err := r.src.ReadAt(p, off)
		for i := 0; i+r.width <= n; i += r.width {
			for a, b := i, i+r.width-1; a < b; a, b = a+1, b-1 {
				p[a], p[b] = p[b], p[a]
			}
		}
		return n, err
	}
	// Read whole numbers, a bounded part at a time.
	buf := make([]byte, min(int64(len(p))+2*w, 64<<10)/w*w)
	for n := 0; n < len(p); {
		begin := (off + int64(n)) / w * w
		got, err := r.ReadAt(buf, begin)
		skip := int(off + int64(n) - begin)
		if got <= skip {
			return n, err
		}
		n += copy(p[n:], buf[skip:got])
		if n < len(p) && err != nil {
			return n, err
		}
	}
	return len(p), nil
}
