// Digests of files, their data and their tensors, in one pass.

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
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
)

// A File is a file to digest.
type File struct {
	Name   string // for errors
	Size   int64
	Header *safetensors.Header // its valid header; nil if it is not a safetensors file
	io.ReaderAt
}

// FileSums are the digests of one file. If it has no header, only File is set.
type FileSums struct {
	File    []byte   // of the whole file
	Data    []byte   // of the bytes after the header
	Tensors [][]byte // of each tensor, in the order of the header
}

// Files returns the digests of files, in the order of the list. It reads each file once, from start to
// end, and several files concurrently. The digest of a file is computed by one goroutine, while others
// compute the digests of its data and tensors. Errors are handled as in Tensors. Memory is two MiB for
// each file in progress.
func (h *Hasher) Files(ctx context.Context, list []File) ([]FileSums, error) {
	sums := make([]FileSums, len(list))
	few := *h
	if slices.ContainsFunc(list, func(f File) bool { return f.Header != nil }) {
		few.Parallel = max(1, (h.parallel()+2)/3) // each keeps three goroutines busy
	}
	err := few.each(ctx, len(list), func(ctx context.Context, i int, buf []byte) (err error) {
		sums[i], err = h.file(ctx, &list[i], buf)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("digest: %s: %w", wording.Quote(list[i].Name), err)
		}
		return err
	})
	return sums, err
}

// file returns the digests of one file. It reads into one buffer while another one is hashed.
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

// part reads the next part of a file, which is empty at its end.
func (h *Hasher) part(ctx context.Context, f *File, buf []byte, off int64) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	part := buf[:min(f.Size-off, int64(len(buf)))]
	if len(part) == 0 {
		return nil, nil
	}
	h.told(len(part))
	return part, bytesio.ReadFull(f, part, off)
}

// A pass is the state of hashing a file.
type pass struct {
	whole, data hash.Hash
	start       int64 // where the data begins
	tensors     *sequence
}

// write hashes the bytes at offset off in three goroutines.
func (p *pass) write(hashing *sync.WaitGroup, part []byte, off int64) {
	hashing.Go(func() { p.whole.Write(part) })
	data := part[min(max(p.start-off, 0), int64(len(part))):]
	if len(data) > 0 {
		hashing.Go(func() { p.data.Write(data) })
		hashing.Go(func() { p.tensors.Write(data) })
	}
}

// A sequence hashes consecutive tensors, as in the data of a valid file.
type sequence struct {
	h     *Hasher
	infos []safetensors.TensorInfo
	order []int // the tensors in the order of their bytes
	done  [][]byte
	next  int       // index in order of the current tensor
	left  int64     // how many of its bytes are left
	sum   hash.Hash // of its other bytes
}

func newSequence(h *Hasher, header *safetensors.Header) *sequence {
	s := &sequence{h: h, infos: header.Tensors, done: make([][]byte, len(header.Tensors)), order: make([]int,
		len(header.Tensors))}
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

// begin starts the current tensor, and completes empty tensors.
func (s *sequence) begin() {
	for ; s.next < len(s.order); s.next++ {
		if s.sum == nil {
			s.sum = s.h.new()
		}
		s.sum.Reset()
		s.left = s.infos[s.order[s.next]].Size()
		if s.left > 0 {
			return
		}
		s.done[s.order[s.next]] = s.sum.Sum(nil)
	}
}

// Write hashes the next bytes. It implements io.Writer and never fails.
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
