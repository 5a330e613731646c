// Copying ranges of an object as they arrive.

package fetch

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"

	"github.com/weightools/safetensors/store"
)

// CopyRange implements [store.Copy]. What the cache has of a range is used only if that is all of it, because a file
// should consist of as few answers as possible.
func (o *object) CopyRange(ctx context.Context, w io.WriterAt, off, n int64) error {
	r := &reader{object: o, ctx: ctx}
	switch err := r.alive(); {
	case err != nil:
		return err
	case off < 0 || n < 0 || n > o.size-off:
		return r.failed(fmt.Errorf("%d bytes at %d: %w", n, off, fs.ErrInvalid))
	case o.cache.covers(&o.spans, off, off+n):
		return store.CopyFrom(r, w, off, n)
	}
	c := &copying{content: o.content, w: w, off: off, end: off + n}
	for !c.done {
		if err := o.persist(ctx, func() (int64, error) { return c.once(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// A copying is a run of bytes that is being copied.
type copying struct {
	*content
	w        io.WriterAt
	off, end int64 // what is left to copy
	done     bool
}

// once makes one request, and returns how many bytes of what was left it copied.
func (c *copying) once(ctx context.Context) (int64, error) {
	h := c.headers(c.off, c.end)
	if c.plain.Load() {
		h = c.headers(-1, -1)
	}
	a, err := c.ask(ctx, h, c.end-c.off)
	if err != nil {
		return 0, err
	}
	defer a.body.Close()
	if err := c.accept(a); err != nil {
		return 0, err
	}
	at, end := c.off, c.end
	switch {
	case a.Status == http.StatusPartialContent && !c.plain.Load():
		run, err := c.sameRun(a, c.off)
		if err != nil {
			return 0, err
		}
		end = min(end, run.end)
	case a.Status == http.StatusOK && (c.off == 0 || c.plain.Load()):
		c.plain.Store(true)
		at = 0
	case a.Status == http.StatusOK:
		c.plain.Store(true)
		return 0, a.Errorf("the server no longer supports ranges")
	default:
		return 0, c.refused(a)
	}
	before := c.off
	n, err := c.write(a, at, end)
	switch {
	case err != nil:
	case end < c.end: // the announced range is shorter than the requested one
		if n < progress {
			err = c.short(int(n), int(c.end-at))
		}
	case c.version.unsized && end == c.size:
		err = a.ends(end)
		c.done = err == nil
	default:
		c.done = true
	}
	return c.off - before, err
}

// buffers holds the buffers of copyings.
var buffers = sync.Pool{New: func() any { return new([store.CopyBuffer]byte) }}

// write copies the body, which starts at offset begin of the object, up to end. It returns the number of bytes.
func (c *copying) write(a *Answer, begin, end int64) (int64, error) {
	buffer := buffers.Get().(*[store.CopyBuffer]byte)
	defer buffers.Put(buffer)
	at := begin
	for at < end {
		n, err := a.body.Read(buffer[:min(store.CopyBuffer, end-at)])
		if n > 0 {
			if _, err := c.w.WriteAt(buffer[:n], at); err != nil {
				return at - begin, err
			}
			at += int64(n)
			c.off = max(c.off, at)
		}
		switch {
		case at == end:
		case err == io.EOF:
			return at - begin, a.torn(int(at-begin), int(end-begin))
		case err != nil:
			return at - begin, err
		}
	}
	return at - begin, nil
}
