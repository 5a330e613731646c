// Models in several files of a folder, which are read through one of them, the head.

package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/store"
)

// Beside opens a file by its path below the folder of another.
type Beside = func(ctx context.Context, name string) (store.Object, error)

// HeadsOf returns the base names of the files that may be the head of the model that a file belongs to, nil if it
// belongs to none.
func (o *Options) HeadsOf(base string) []string {
	for i := range o.Formats {
		if f := &o.Formats[i]; f.Heads != nil {
			if heads := f.Heads(base); heads != nil {
				return heads
			}
		}
	}
	return nil
}

// headOf returns the path of the head of the model that the file belongs to, as the function there tells which files
// exist. It is the path itself if the file is read by itself.
func (o *Options) headOf(name string, there func(path string) bool) string {
	for _, head := range o.HeadsOf(path.Base(name)) {
		if p := path.Join(naming.Folder(name), head); p == name || there(p) {
			return p
		}
	}
	return name
}

// Heads returns the paths with the head in place of all files that are read through it.
func (o *Options) Heads(paths []string) (heads []string) {
	there := make(map[string]bool, len(paths))
	for _, p := range paths {
		there[p] = true
	}
	seen := make(map[string]bool)
	for _, p := range paths {
		head := o.headOf(p, func(path string) bool { return there[path] })
		if !seen[head] {
			seen[head] = true
			heads = append(heads, head)
		}
	}
	return heads
}

// OpenHead opens the head of the model that the file at *path belongs to, and sets *path to its path. It opens the file
// itself if that is read by itself.
func (o *Options) OpenHead(ctx context.Context, from store.Store, path *string) (store.Object, error) {
	var opened store.Object
	head := o.headOf(*path, func(path string) bool {
		object, err := from.Open(ctx, path)
		opened = object
		return err == nil
	})
	if head == *path {
		return from.Open(ctx, head)
	}
	*path = head
	return opened, nil
}

// Parts are the open files beside a shard.
type parts struct {
	mu   sync.Mutex
	open map[string]store.Object // by their paths
	done bool
}

// beside opens a file below the folder of the shard, once.
func (s *Shard) beside(ctx context.Context, name string) (store.Object, error) {
	if strings.Contains(name, `\`) || store.CheckName(name) != nil {
		return nil, fmt.Errorf("%q is not a path below the folder: %w", name, fs.ErrInvalid)
	}
	p := path.Join(naming.Folder(s.Path), name)
	s.parts.mu.Lock()
	object, done := s.parts.open[p], s.parts.done
	s.parts.mu.Unlock()
	switch {
	case done:
		return nil, AtPath("open", p, fs.ErrClosed)
	case object != nil:
		return object, nil
	}
	object, err := s.from.Open(ctx, p)
	if err != nil {
		return nil, AtPath("open", p, err)
	}
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	if first := s.parts.open[p]; first != nil || s.parts.done {
		return first, errors.Join(object.Close(), s.parts.closed(p))
	}
	if s.parts.open == nil {
		s.parts.open = make(map[string]store.Object)
	}
	s.parts.open[p] = object
	return object, nil
}

// closed returns an error if the parts are closed. The caller holds the lock.
func (p *parts) closed(path string) error {
	if p.done {
		return AtPath("open", path, fs.ErrClosed)
	}
	return nil
}

// unchanged returns an error if one of the parts has changed.
func (p *parts) unchanged() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, object := range p.open {
		if err := store.Unchanged(object); err != nil {
			return err
		}
	}
	return nil
}

// close closes the parts for good.
func (p *parts) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	var errs []error
	for _, object := range p.open {
		errs = append(errs, object.Close())
	}
	return errors.Join(errs...)
}

// violationsIn returns the violations that an error joins.
func violationsIn(err error) (list []*safetensors.Violation) {
	for next := []error{err}; len(next) > 0; {
		err, next = next[0], next[1:]
		switch one := err.(type) {
		case *safetensors.Violation:
			list = append(list, one)
		case interface{ Unwrap() []error }:
			next = append(one.Unwrap(), next...)
		case interface{ Unwrap() error }:
			next = append([]error{one.Unwrap()}, next...)
		}
	}
	return list
}
