// A file of another format as a safetensors file that exists only while it is read.

package shard

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"

	"github.com/weightools/safetensors/internal/bytesio"
)

// An image is the safetensors file of an opened file's tensors, read on behalf of ctx.
type image struct {
	*Opened
	ctx context.Context
}

// ReadAt reads the header, which is encoded for each read that begins in it, and tensors.
func (m *image) ReadAt(b []byte, off int64) (n int, err error) {
	start := m.header.DataStart()
	if off < 0 {
		return 0, errors.New("checkpoint: read at a negative offset")
	}
	if off < start {
		head, err := m.header.AppendBinary(nil)
		if err != nil {
			return 0, err
		}
		n = copy(b, head[off:])
	}
	entries := m.header.Tensors
	at := off + int64(n) - start
	i := sort.Search(len(entries), func(i int) bool { return entries[i].Offsets.End > at })
	for ; n < len(b) && i < len(entries); i++ {
		span := entries[i].Offsets
		part := b[n:min(int64(len(b)), int64(n)+span.End-at)]
		if err := bytesio.ReadFull(bind(m.ctx, m.List[i].ReaderAt), part, at-span.Begin); err != nil {
			return n, err
		}
		n, at = n+len(part), span.End
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// bind returns a reader of the same bytes whose reads end once ctx is done.
func bind(ctx context.Context, r io.ReaderAt) io.ReaderAt {
	if section, ok := r.(*io.SectionReader); ok {
		outer, off, n := section.Outer()
		return io.NewSectionReader(&bound{ctx, outer}, off, n)
	}
	return &bound{ctx, r}
}

// A bound reader reads on behalf of one task.
type bound struct {
	ctx context.Context
	io.ReaderAt
}

// ReadAt reads from the reader, unless the context is done.
func (b *bound) ReadAt(p []byte, off int64) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.ReaderAt.ReadAt(p, off)
}

// ReadsFile returns the file that is read, if there is one. The system can then copy from it.
func (b *bound) ReadsFile() (*os.File, int64) {
	if placed, ok := b.ReaderAt.(interface{ ReadsFile() (*os.File, int64) }); ok {
		return placed.ReadsFile()
	}
	return nil, 0
}
