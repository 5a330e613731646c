// Package keep keeps what later requests need: open files, and values up to a bound.
package keep

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/store"
)

// mostOpen is the number of files that stay open without a reader.
const mostOpen = 64

// A Shelf keeps files open.
type Shelf struct {
	// Open opens a file.
	Open func(ctx context.Context, path string) (store.Object, error)

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

// Take returns an open file. Call release after the last read.
func (s *Shelf) Take(ctx context.Context, path string) (object store.Object, release func(), err error) {
	s.mu.Lock()
	k := s.files[path]
	if k == nil {
		s.mu.Unlock()
		if object, err = s.Open(ctx, path); err != nil {
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
func (s *Shelf) drop() {
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

// Close closes all files.
func (s *Shelf) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.files {
		k.object.Close()
	}
	clear(s.files)
}

// Section returns a tensor of an open safetensors file.
func Section(ctx context.Context, o store.Object, h *safetensors.Header, ti *safetensors.TensorInfo) (
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

// errGone says that a file is shorter than its header says.
var errGone = errors.New("the file has changed: stop weigh view and start it again")
