// Open files.

package safetensors

import (
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/weightools/safetensors/internal/source"
)

// A File is an open safetensors file.
type File struct {
	// Header must not be changed.
	Header *Header

	r     io.ReaderAt
	close func() error
	bytes func(Span) ([]byte, error) // bytes of the mapping; nil if the file is not mapped
}

// Close closes the file. It does nothing if NewFile made f. The tensors of f
// must not be used afterwards.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Tensor returns the named tensor, or an error that wraps [fs.ErrNotExist].
func (f *File) Tensor(name string) (*Tensor, error) {
	ti := f.Header.Lookup(name)
	if ti == nil {
		return nil, fmt.Errorf("safetensors: no tensor %s: %w", quote(name), fs.ErrNotExist)
	}
	return f.tensor(ti), nil
}

// Tensors yields every tensor, in the header's order.
func (f *File) Tensors() iter.Seq[*Tensor] {
	return func(yield func(*Tensor) bool) {
		for i := range f.Header.Tensors {
			if !yield(f.tensor(&f.Header.Tensors[i])) {
				return
			}
		}
	}
}

func (f *File) tensor(ti *TensorInfo) *Tensor {
	t := &Tensor{TensorInfo: *ti}
	at := f.Header.FileSpan(ti)
	s := &source.Section{R: f.r, Begin: at.Begin, Size: at.Len(), Tensor: ti.Name}
	if f.bytes != nil {
		s.Bytes = func() ([]byte, error) { return f.bytes(at) }
	}
	t.ReaderAt = s
	return t
}
