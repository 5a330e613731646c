// The pass: a tensor read once, in blocks, by several goroutines.

package stats

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/weightools/safetensors"
)

// blockSize is how many bytes are read at once: enough for a read over a
// network, and few enough for second-level caches. Whole numbers of every dtype
// fill it, and pairs of F6 too: it is a multiple of 3 and of 16.
const blockSize = 768 << 10

// An accumulator takes the blocks of a tensor, whole numbers each, in any
// order. What several have taken of one tensor, merge puts together.
type accumulator[A any] interface {
	add(block []byte)
	merge(other A)
}

// scan feeds every block of t to one of several accumulators, each in a
// goroutine of its own, and returns them merged. If digest is not nil, the bytes
// are written to it too, in order.
func scan[A accumulator[A]](t *safetensors.Tensor, workers int, digest hash.Hash, fresh func() A) (A, error) {
	s := scanner{tensor: t, size: t.Size(), digest: digest}
	s.more.L = &s.mu
	blocks := (s.size + blockSize - 1) / blockSize
	// An empty tensor has an accumulator too, which then has seen nothing.
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

// A scanner hands out the blocks of a tensor in ascending order.
type scanner struct {
	tensor *safetensors.Tensor
	size   int64     // of the tensor, in bytes
	digest hash.Hash // nil if there is none to make

	mu       sync.Mutex
	more     sync.Cond // digested or err has changed
	next     int64     // where the next block to hand out begins
	digested int64     // how many bytes are in digest
	err      error     // the first error, in the order of bytes
	errAt    int64     // of which block it is
}

// take returns where the next block begins. It returns false if there is none,
// or no use for it.
func (s *scanner) take() (off int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	off = s.next
	s.next += blockSize
	return off, off < s.size && s.err == nil
}

// work reads block after block, adds each, and digests it when it is its turn.
// Digesting is the slow part, so the others read and add in the meantime.
func (s *scanner) work(add func([]byte)) {
	buf := make([]byte, min(s.size, blockSize))
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

// read fills block. A source that ends before the tensor does is an error.
func (s *scanner) read(block []byte, off int64) error {
	n, err := s.tensor.ReadAt(block, off)
	if n == len(block) {
		return nil // whatever err is: that of a source which ends here is io.EOF
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("stats: read %d of the %d bytes of tensor %.200q: %w", off+int64(n), s.size, s.tensor.Name, err)
}

// write digests the block at off once all before it are. It returns false if
// one of them never will be.
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
	s.digest.Write(block) // it is nobody else's turn
	s.mu.Lock()
	s.digested += int64(len(block))
	s.mu.Unlock()
	s.more.Broadcast()
	return true
}

// fail ends the work. Of several errors the one of the first block stays: since
// blocks are handed out in order, no block before it is left unread, and so the
// error is the same on every run.
func (s *scanner) fail(off int64, err error) {
	s.mu.Lock()
	if s.err == nil || off < s.errAt {
		s.err, s.errAt = err, off
	}
	s.mu.Unlock()
	s.more.Broadcast()
}
