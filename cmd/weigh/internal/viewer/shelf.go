// Caches with bounds.

package viewer

import (
	"context"
	"io"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// An lru keeps the latest values.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	most  int
	keys  []K // the latest last
	items map[K]V
}

// get returns a value.
func (c *lru[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[key]
	if ok {
		c.touch(key)
	}
	return v, ok
}

// put adds a value, and drops the oldest if there are too many.
func (c *lru[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = make(map[K]V)
	}
	c.items[key] = v
	c.touch(key)
	for len(c.keys) > c.most {
		delete(c.items, c.keys[0])
		c.keys = append(c.keys[:0], c.keys[1:]...)
	}
}

// touch makes a key the latest.
func (c *lru[K, V]) touch(key K) {
	for i, k := range c.keys {
		if k == key {
			c.keys = append(c.keys[:i], c.keys[i+1:]...)
			break
		}
	}
	c.keys = append(c.keys, key)
}

// mostOpen is the number of files that stay open without a reader.
const mostOpen = 64

// A shelf keeps files open.
type shelf struct {
	open func(ctx context.Context, path string) (store.Object, error)

	mu    sync.Mutex
	files map[string]*held
	clock int
}

// A held is an open file.
type held struct {
	object  store.Object
	readers int
	used    int // by the clock of the shelf
}

// take returns an open file. Call release after the last read.
func (s *shelf) take(ctx context.Context, path string) (object store.Object, release func(), err error) {
	s.mu.Lock()
	k := s.files[path]
	if k == nil {
		s.mu.Unlock()
		if object, err = s.open(ctx, path); err != nil {
			return nil, nil, err
		}
		s.mu.Lock()
		if k = s.files[path]; k != nil { // another request was faster
			object.Close()
		} else {
			k = &held{object: object}
			if s.files == nil {
				s.files = make(map[string]*held)
			}
			s.files[path] = k
		}
	}
	defer s.mu.Unlock()
	s.clock++
	k.readers, k.used = k.readers+1, s.clock
	s.drop()
	return k.object, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		k.readers--
	}, nil
}

// drop closes the file that was not used for longest, if too many are open.
func (s *shelf) drop() {
	if len(s.files) <= mostOpen {
		return
	}
	oldest := ""
	for path, k := range s.files {
		if k.readers == 0 && (oldest == "" || k.used < s.files[oldest].used) {
			oldest = path
		}
	}
	if k := s.files[oldest]; k != nil {
		k.object.Close()
		delete(s.files, oldest)
	}
}

// close closes all files.
func (s *shelf) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.files {
		k.object.Close()
	}
	clear(s.files)
}

// sectionOf returns a tensor of an open safetensors file.
func sectionOf(ctx context.Context, o store.Object, h *safetensors.Header, ti *safetensors.TensorInfo) (
	*safetensors.Tensor, error) {
	at := h.FileSpan(ti)
	if at.End > o.Size() {
		return nil, errGone
	}
	return &safetensors.Tensor{TensorInfo: *ti, ReaderAt: &section{o.ReaderAt(ctx), at}}, nil
}

// A section is a part of a file. Unlike an [io.SectionReader] it passes on what will be read.
type section struct {
	r  io.ReaderAt
	at safetensors.Span
}

// ReadAt implements io.ReaderAt.
func (s *section) ReadAt(b []byte, off int64) (int, error) {
	rest := s.at.Len() - off
	if off < 0 || rest <= 0 {
		return 0, io.EOF
	}
	if int64(len(b)) <= rest {
		return s.r.ReadAt(b, s.at.Begin+off)
	}
	n, err := s.r.ReadAt(b[:rest], s.at.Begin+off)
	if err == nil {
		err = io.EOF
	}
	return n, err
}

// Prefetch implements [store.Prefetcher].
func (s *section) Prefetch(off, n int64) {
	if ahead, ok := s.r.(store.Prefetcher); ok {
		ahead.Prefetch(s.at.Begin+off, n)
	}
}
