// Objects: a content that someone has opened, and its readers.

package remote

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/weightools/safetensors/store"
)

// An object is a content that is open.
type object struct {
	*content
	name   string // for errors
	closed atomic.Bool
	done   func()
}

func (o *object) Size() int64 { return o.size }

// Close ends the object. What is known of its content stays.
func (o *object) Close() error {
	if !o.closed.Swap(true) {
		o.done()
	}
	return nil
}

// SameAs says whether other is known to have the same bytes: see [store.Same].
func (o *object) SameAs(other store.Object) bool {
	p, ok := other.(*object)
	return ok && (o.content == p.content || o.sha256 != "" && o.sha256 == p.sha256 && o.size == p.size)
}

// SHA256 returns the SHA-256 digest of an object of this package in hex, if its store
// says so, and otherwise "". The Hub does for large files.
func SHA256(o store.Object) string {
	if o, ok := o.(interface{ digest() string }); ok {
		return o.digest()
	}
	return ""
}

func (o *object) digest() string { return o.sha256 }

// Version returns what tells this version of an object from others of its name: its
// digest, its ETag or its date, whatever its server says of these, in that order; "" if
// that is none. Objects of other packages may have a method of that name, which says it.
func Version(o store.Object) string {
	if o, ok := o.(interface{ Version() string }); ok {
		return o.Version()
	}
	return ""
}

func (o *object) Version() string { return orElse(o.sha256, orElse(o.etag, o.modified)) }

// InOrder says whether the bytes of an object are best read from front to back, by one
// reader: its server knows no ranges. Objects of other packages may have a method of that
// name, which says it.
func InOrder(o store.Object) bool {
	r, ok := o.(interface{ InOrder() bool })
	return ok && r.InOrder()
}

func (o *object) InOrder() bool { return o.plain.Load() }

func (o *object) ReaderAt(ctx context.Context) io.ReaderAt { return &reader{object: o, ctx: ctx} }

// A reader is an object that is read on behalf of one task.
type reader struct {
	*object
	ctx   context.Context
	trail trail
}

var _ store.Prefetcher = (*reader)(nil)

func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, r.failed(fmt.Errorf("negative offset %d: %w", off, fs.ErrInvalid))
	}
	if err := r.alive(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if off >= r.size {
		return 0, io.EOF
	}
	want := int(min(int64(len(p)), r.size-off))
	n, err := r.read(p[:want], off)
	if err == nil && n < len(p) {
		err = io.EOF // itself: callers compare it with ==
	}
	return n, err
}

// read fills p, all of which lies within the object.
func (r *reader) read(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	if len(p) >= direct && !r.cache.covers(&r.spans, off, end) {
		return r.fetch(r.ctx, p, off)
	}
	ahead := r.trail.ahead(off, end)
	for {
		until := end
		if !r.cache.covers(&r.spans, off, end) {
			until = min(end+ahead, r.size)
		}
		all, mine := r.cache.claim(&r.spans, off, until, r.size, false)
		if len(mine) == 0 {
			r.meter.hit()
		} else if err := r.obtain(r.ctx, mine); err != nil {
			return 0, err
		}
		n, err := r.copy(p, off, all)
		if err == nil || r.ctx.Err() != nil {
			return n, err
		}
		// Another task was to fetch it and gave up, so this one has to.
	}
}

// copy copies from spans as they get ready.
func (r *reader) copy(p []byte, off int64, all []*span) (n int, err error) {
	for _, s := range all {
		if n == len(p) {
			break // what follows was read ahead
		}
		select {
		case <-s.ready:
		case <-r.ctx.Done():
			return n, r.failed(context.Cause(r.ctx))
		}
		if s.err != nil {
			return n, s.err
		}
		n += copy(p[n:], s.data[off+int64(n)-s.begin:])
	}
	return n, nil
}

// Prefetch has a run of bytes come at once. It is for headers: of more than 16 MiB no
// more is fetched ahead.
func (r *reader) Prefetch(off, n int64) {
	const most = 16 << 20
	if off < 0 || n <= 0 || off >= r.size || r.alive() != nil {
		return
	}
	_, mine := r.cache.claim(&r.spans, off, off+min(n, most, r.size-off), r.size, true)
	if len(mine) > 0 {
		_ = r.obtain(r.ctx, mine) // reading the bytes gives the error again
	}
}

// alive returns why nothing may be read any more, or nil.
func (r *reader) alive() error {
	if r.closed.Load() {
		return r.failed(fs.ErrClosed)
	}
	if r.ctx.Err() != nil {
		return r.failed(context.Cause(r.ctx))
	}
	return nil
}

// failed returns err as that of reading the object.
func (r *reader) failed(err error) error {
	return &fs.PathError{Op: "read", Path: r.name, Err: err}
}
