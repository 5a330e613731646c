// Chunks: each is an archive with one tensor.

package dcp

import (
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/torch"
)

// A piece is a chunk of a tensor. Its archive is opened at the first read, and what is kept of it is where its elements
// are.
type piece struct {
	t     *Tensors
	e     *entry
	c     *chunk
	dtype safetensors.Dtype

	mu     sync.Mutex
	opened bool
	at     int64       // where the elements are in the file, if r is nil
	r      io.ReaderAt // reads the elements if they have another order or form in the file
}

// source returns a reader of the elements.
func (p *piece) source() (io.ReaderAt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		if err := p.open(); err != nil {
			return nil, err
		}
		p.opened = true
	}
	if p.r != nil {
		return p.r, nil
	}
	return io.NewSectionReader(p.t.objects[p.c.file].ReaderAt(p.t.ctx), p.at, p.size()), nil
}

// size returns the number of bytes of the elements.
func (p *piece) size() int64 {
	n := int64(p.dtype.Bits() / 8)
	for _, dim := range p.c.shape {
		n *= dim
	}
	return n
}

// open opens the archive.
func (p *piece) open() error {
	section := io.NewSectionReader(p.t.objects[p.c.file].ReaderAt(p.t.ctx), p.c.off, p.c.size)
	cp, err := torch.Open(section, p.c.size, &torch.Options{Pickle: p.t.opts.Pickle, Budget: p.t.opts.Budget,
		NoChecksum: p.t.opts.NoChecksum})
	if err != nil {
		return p.fault("it cannot be read: %v", err)
	}
	if len(cp.Tensors) != 1 {
		return p.fault("it has %s", wording.Count(len(cp.Tensors), "tensor"))
	}
	one := cp.Tensors[0]
	if one.Dtype != p.dtype || !slices.Equal(one.Shape, p.c.shape) {
		return p.fault("it is %s%v, but the metadata says %s%v", one.Dtype, []int64(one.Shape), p.dtype, p.c.shape)
	}
	p.r = one.ReaderAt
	if s, ok := one.ReaderAt.(*io.SectionReader); ok {
		if outer, off, _ := s.Outer(); outer == io.ReaderAt(section) {
			p.r, p.at = nil, p.c.off+off
		}
	}
	return nil
}

// fault returns the violation of an archive that is not as the metadata says.
func (p *piece) fault(format string, args ...any) *safetensors.Violation {
	args = append([]any{p.c.at, wording.Quote(p.e.key), p.c.off, wording.Quote(p.t.meta.files[p.c.file])}, args...)
	v := checkpoint.Damaged("the part at %v of %s is at byte %d of %s: "+format, args...)
	v.Tensor = p.e.key
	return v
}
