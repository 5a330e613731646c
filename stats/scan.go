// Reading a tensor once, in blocks, by several goroutines.

package stats

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/weightools/safetensors"
)

// blockSize is the number of bytes that are read at once: enough for a network, and small enough for the
// second-level cache. It is a multiple of 3 and 16, so every block contains complete numbers of all dtypes,
// and pairs of F6.
const blockSize = 768 << 10

// An accumulator processes blocks of a tensor in any order. Blocks contain complete numbers. merge combines
// accumulators of the same tensor.
type accumulator[A any] interface {
	add(block []byte)
	merge(other A)
}

// scan distributes the blocks of t over several accumulators in separate goroutines, and returns them merged.
// If digest is not nil, it also writes the bytes to digest, in order.
func scan[A accumulator[A]](t *safetensors.Tensor, workers int, digest hash.Hash, fresh func() A) (A, error) {
	s := scanner{tensor: t, size: t.Size(), digest: digest}
	s.more.L = &s.mu
	blocks := (s.size + blockSize - 1) / blockSize
	// An empty tensor has an empty accumulator.
	all := make([]A, max(1, min(int64(workers), blocks)))
	var others sync.WaitGroup
	for i := range all {
		all[i] = fresh()
		if i > 0 {
			others.Go(func() { s.work(all[i].add) })
		}
	}
	s.work(all[0].add)
	others.Wait()
	for _, a := range all[1:] {
		all[0].merge(a)
	}
	return all[0], s.err
}

// A scanner distributes the blocks of a tensor in ascending order.
type scanner struct {
	tensor *safetensors.Tensor
	size   int64     // of the tensor, in bytes
	digest hash.Hash // may be nil

	mu       sync.Mutex
	more     sync.Cond // digested or err has changed
	next     int64     // offset of the next block
	digested int64     // number of bytes in digest
	err      error     // the error with the lowest offset
	errAt    int64     // offset of its block
}

// take returns the offset of the next block. It returns false at the end or after an error.
func (s *scanner) take() (off int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	off = s.next
	s.next += blockSize
	return off, off < s.size && s.err == nil
}

// buffers are for blocks. A new one is cleared, which takes as long as reading half of it.
var buffers = sync.Pool{New: func() any { return new([blockSize]byte) }}

// work reads and adds blocks, and hashes them in order. Hashing is the slowest part; meanwhile other
// goroutines read and add.
func (s *scanner) work(add func([]byte)) {
	buf := buffers.Get().(*[blockSize]byte)
	defer buffers.Put(buf)
	for {
		off, ok := s.take()
		if !ok {
			return
		}
		block := buf[:min(s.size-off, blockSize)]
		if err := s.read(block, off); err != nil {
			s.fail(off, err)
			return
		}
		add(block)
		if s.digest != nil && !s.write(block, off) {
			return
		}
	}
}

// read fills block. A truncated source is an error.
func (s *scanner) read(block []byte, off int64) error {
	n, err := s.tensor.ReadAt(block, off)
	if n == len(block) {
		return nil // err may be io.EOF at the end of the source
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("stats: read %d of the %d bytes of tensor %.200q: %w", off+int64(n), s.size, s.tensor.Name, err)
}

// write hashes the block at off after all previous ones. It returns false if one of them has failed.
func (s *scanner) write(block []byte, off int64) bool {
	s.mu.Lock()
	for s.digested != off && s.err == nil {
		s.more.Wait()
	}
	failed := s.err != nil
	s.mu.Unlock()
	if failed {
		return false
	}
	s.digest.Write(block) // no other goroutine has its turn
	s.mu.Lock()
	s.digested += int64(len(block))
	s.mu.Unlock()
	s.more.Broadcast()
	return true
}

// fail ends the work. If several blocks fail, the error of the first block is kept. Because blocks are
// distributed in order, all blocks before it were read, so the error is the same in every run.
func (s *scanner) fail(off int64, err error) {
	s.mu.Lock()
	if s.err == nil || off < s.errAt {
		s.err, s.errAt = err, off
	}
	s.mu.Unlock()
	s.more.Broadcast()
}
