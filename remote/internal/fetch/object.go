// Objects: the store.Object of a content, and its readers.

package fetch

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weightools/safetensors/store"
)

// direct is the minimum size in bytes of a read that bypasses the cache: callers do not read
// so much twice.
const direct = 1 << 20

// An object is an open content.
type object struct {
	*content
	name   string // for errors
	closed atomic.Bool
	done   func()
}

// Size implements [store.Object].
func (o *object) Size() int64 { return o.size }

// Close ends the object. Its content stays cached.
func (o *object) Close() error {
	if !o.closed.Swap(true) {
		o.done()
	}
	return nil
}

// SameAs implements [store.Same].
func (o *object) SameAs(other store.Object) bool {
	p, ok := other.(*object)
	return ok && (o.content == p.content || o.facts.SHA256 != "" && o.facts.SHA256 == p.facts.SHA256 && o.size == p.size)
}

// SHA256 implements [store.SHA256].
func (o *object) SHA256() (digest [32]byte, ok bool) {
	n, err := hex.Decode(digest[:], []byte(o.facts.SHA256))
	return digest, err == nil && n == len(digest)
}

// Version implements [store.Version]. A weak ETag may stay the same when bytes change.
func (o *object) Version() string {
	v := o.version
	switch {
	case o.facts.SHA256 != "":
		return o.facts.SHA256
	case strings.HasPrefix(v.etag, "W/"):
		return ""
	case v.settled:
		return cmp.Or(v.etag, v.modified)
	}
	return v.etag
}

// Checksum implements [store.Checksum].
func (o *object) Checksum(ctx context.Context) *store.Sum {
	o.sum.mu.Lock()
	defer o.sum.mu.Unlock()
	how := o.source.Checksums
	if o.sum.known != nil || o.sum.asked || how == nil || how.Ask == nil {
		return o.sum.known
	}
	what := o.source.call(how.Ask.Clone(), 0)
	what.method = http.MethodHead
	err := o.persist(ctx, func() (int64, error) {
		a, err := o.do(ctx, what)
		if err != nil {
			return 0, err
		}
		defer a.body.Close()
		if a.Status != http.StatusOK {
			return 0, o.source.refused(a)
		}
		// The checksum of another version would refuse the right bytes.
		if a.Header.Get("ETag") == o.version.etag && a.length == o.size {
			o.sum.known = how.sumOf(a.Header)
		}
		return 0, nil
	})
	o.sum.asked = err == nil || ctx.Err() == nil
	return o.sum.known
}

// FileName implements [store.FileName].
func (o *object) FileName() string { return o.facts.Name }

// InOrder implements [store.InOrder].
func (o *object) InOrder() bool { return o.plain.Load() }

// ReaderAt implements [store.Object].
func (o *object) ReaderAt(ctx context.Context) io.ReaderAt { return &reader{object: o, ctx: ctx} }

// A reader reads an object for one task.
type reader struct {
	*object
	ctx   context.Context
	trail trail
}

var _ store.Prefetcher = (*reader)(nil)

// Object implements [store.SameBytes].
func (r *reader) Object() store.Object { return r.object }

// ReadAt implements io.ReaderAt. It reads from the cache, and otherwise fetches.
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
		err = io.EOF // not wrapped: callers compare it with ==
	}
	return n, err
}

// read fills p with the bytes at off. The range must lie within the object.
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
		// Another task was fetching a span and gave up, so this one has to fetch it.
	}
}

// copy copies from spans as they become ready.
func (r *reader) copy(p []byte, off int64, all []*span) (n int, err error) {
	for _, s := range all {
		if n == len(p) {
			break // the rest is read-ahead
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

// obtain fetches claimed spans in parallel and settles them. It returns one of the errors.
func (o *content) obtain(ctx context.Context, mine []*span) error {
	fetch := func(s *span) error {
		data := make([]byte, s.end-s.begin)
		_, err := o.fetch(ctx, data, s.begin)
		o.cache.settle(s, data, err)
		return err
	}
	if len(mine) == 1 {
		return fetch(mine[0])
	}
	var all sync.WaitGroup
	errs := make([]error, len(mine))
	for i, s := range mine {
		all.Go(func() { errs[i] = fetch(s) })
	}
	all.Wait()
	return cmp.Or(errs...)
}

// Prefetch fetches a range at once. It is meant for headers, and fetches at most 16 MiB.
func (r *reader) Prefetch(off, n int64) {
	const most = 16 << 20
	if off < 0 || n <= 0 || off >= r.size || r.alive() != nil {
		return
	}
	_, mine := r.cache.claim(&r.spans, off, off+min(n, most, r.size-off), r.size, true)
	if len(mine) > 0 {
		_ = r.obtain(r.ctx, mine) // reading the bytes returns the error again
	}
}

// alive returns an error if the object is closed or the context is done.
func (r *reader) alive() error {
	if r.closed.Load() {
		return r.failed(fs.ErrClosed)
	}
	if r.ctx.Err() != nil {
		return r.failed(context.Cause(r.ctx))
	}
	return nil
}

// failed wraps an error of reading the object.
func (r *reader) failed(err error) error {
	return &fs.PathError{Op: "read", Path: r.name, Err: err}
}

// Validators returns the ETag and the date of an object that was opened from a server, or "".
func Validators(o store.Object) string {
	if o, ok := o.(*object); ok && o.version.etag+o.version.modified != "" {
		return o.version.etag + "\n" + o.version.modified
	}
	return ""
}

// Date returns when an object was last modified, or the zero time.
func Date(o store.Object) (date time.Time) {
	if o, ok := o.(*object); ok {
		date, _ = http.ParseTime(o.version.modified)
	}
	return date
}
