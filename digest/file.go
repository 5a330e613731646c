// Files: the whole, the data, and each tensor, in one pass.

package digest

import (
	"cmp"
	"context"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// A File is a file to be digested.
type File struct {
	Name   string // what errors call it
	Size   int64
	Header *safetensors.Header // its header, which is valid; nil if it is not a safetensors file
	io.ReaderAt
}

// FileSums are the digests of one file. If it has no header, only File is set.
type FileSums struct {
	File    []byte   // of all of it
	Data    []byte   // of what follows the header
	Tensors [][]byte // of each tensor, in the order of the header
}

// Files returns the digests of files, in the order of the list. Each is read once, from
// its start to its end, and several at once. The digest of a file cannot be made faster
// than one processor makes it; those of its data and its tensors are made meanwhile. It
// ends as Tensors does. Of each file it holds two MiB.
func (h *Hasher) Files(ctx context.Context, list []File) ([]FileSums, error) {
	sums := make([]FileSums, len(list))
	// Each file keeps three goroutines busy.
	few := *h
	few.Parallel = max(1, (h.parallel()+2)/3)
	err := few.each(ctx, len(list), func(ctx context.Context, i int, buf []byte) (err error) {
		sums[i], err = h.file(ctx, &list[i], buf)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("digest: %s: %w", wording.Quote(list[i].Name), err)
		}
		return err
	})
	return sums, err
}

// file returns the digests of one file, which it reads through buf and another buffer,
// the one while the other is hashed.
func (h *Hasher) file(ctx context.Context, f *File, buf []byte) (FileSums, error) {
	p := &pass{whole: h.new(), start: f.Size}
	if f.Header != nil {
		p.data, p.start, p.tensors = h.new(), min(f.Header.DataStart(), f.Size), newSequence(h, f.Header)
	}
	other := make([]byte, len(buf))
	var off int64
	part, err := h.part(ctx, f, buf, off)
	for err == nil && len(part) > 0 {
		var hashing sync.WaitGroup
		p.write(&hashing, part, off)
		off += int64(len(part))
		part, err = h.part(ctx, f, other, off)
		hashing.Wait()
		buf, other = other, buf
	}
	if err != nil {
		return FileSums{}, err
	}
	if f.Header == nil {
		return FileSums{File: p.whole.Sum(nil)}, nil
	}
	return FileSums{p.whole.Sum(nil), p.data.Sum(nil), p.tensors.done}, nil
}

// part reads the next part of a file, none at its end.
func (h *Hasher) part(ctx context.Context, f *File, buf []byte, off int64) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	part := buf[:min(f.Size-off, int64(len(buf)))]
	if len(part) == 0 {
		return nil, nil
	}
	h.told(len(part))
	return part, readFull(f, part, off)
}

// A pass is one way through a file.
type pass struct {
	whole, data hash.Hash
	start       int64 // where the data begins
	tensors     *sequence
}

// write hashes the bytes at off of the file, by three goroutines.
func (p *pass) write(hashing *sync.WaitGroup, part []byte, off int64) {
	hashing.Go(func() { p.whole.Write(part) })
	data := part[min(max(p.start-off, 0), int64(len(part))):]
	if len(data) > 0 {
		hashing.Go(func() { p.data.Write(data) })
		hashing.Go(func() { p.tensors.Write(data) })
	}
}

// A sequence hashes tensors that follow one another, as they do in the data of a file
// that is valid.
type sequence struct {
	h     *Hasher
	infos []safetensors.TensorInfo
	order []int // of the tensors by their bytes
	done  [][]byte
	next  int       // which of order is at hand
	left  int64     // of its bytes
	sum   hash.Hash // of those before
}

func newSequence(h *Hasher, header *safetensors.Header) *sequence {
	s := &sequence{h: h, infos: header.Tensors, done: make([][]byte, len(header.Tensors)), order: make([]int, len(header.Tensors))}
	for i := range s.order {
		s.order[i] = i
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		x, y := s.infos[a].Offsets, s.infos[b].Offsets
		return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(x.End, y.End))
	})
	s.begin()
	return s
}

// begin begins with the tensor at hand, and ends it and those after it that are empty.
func (s *sequence) begin() {
	for ; s.next < len(s.order); s.next++ {
		s.sum, s.left = s.h.new(), s.infos[s.order[s.next]].Size()
		if s.left > 0 {
			return
		}
		s.done[s.order[s.next]] = s.sum.Sum(nil)
	}
}

// Write hashes the bytes that come next. It implements io.Writer, and never fails.
func (s *sequence) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 && s.next < len(s.order) {
		part := b[:min(int64(len(b)), s.left)]
		s.sum.Write(part)
		b = b[len(part):]
		if s.left -= int64(len(part)); s.left == 0 {
			s.done[s.order[s.next]] = s.sum.Sum(nil)
			s.next++
			s.begin()
		}
	}
	return n, nil
}
