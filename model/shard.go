// Shards that are opened when their data is needed.

package model

import (
	"context"
	"io"
	"sync"

	"github.com/weightools/safetensors/checkpoint"
)

// A lazyShard reads the file that the header of a shard describes. It opens the shard at the first read; most
// shards are never read.
type lazyShard struct {
	ctx   context.Context
	set   *checkpoint.Set
	shard string

	once sync.Once
	cp   *checkpoint.Checkpoint
	from io.ReaderAt
	err  error // of opening
}

// ReadAt implements io.ReaderAt.
func (s *lazyShard) ReadAt(b []byte, off int64) (int, error) {
	s.once.Do(func() {
		s.cp = s.set.Open()
		s.from, s.err = s.cp.ReaderAt(s.ctx, s.shard)
	})
	if s.err != nil {
		return 0, s.err
	}
	if p, ok := s.from.(interface{ Prefetch(off, n int64) }); ok { // store.Prefetcher
		p.Prefetch(off, int64(len(b))) // only these bytes, and none around them
	}
	return s.from.ReadAt(b, off)
}

// Close closes the shard if it was opened.
func (s *lazyShard) Close() error {
	if s.cp == nil {
		return nil
	}
	return s.cp.Close()
}
