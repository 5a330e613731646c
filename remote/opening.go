// Opening an object: one request for its size and its first bytes.

package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/weightools/safetensors/store"
)

// A pool has the contents of one store by their names: what was opened once costs no
// request when it is opened again, for objects of a store do not change.
type pool struct {
	*Opener
	parts *parts

	mu    sync.Mutex
	known map[string]*opening
}

// An opening is that of an object which is open, or being opened.
type opening struct {
	done    chan struct{} // closed when the next two are set
	content *content
	err     error
	users   int // who have it open; the pool's lock guards it
}

// open returns the named object, whose source find returns. Of several who open one at
// the same time, one asks the server.
func (p *pool) open(ctx context.Context, name string, head int64, find func() (*source, error)) (store.Object, error) {
	for {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("opening %q: %w", name, context.Cause(ctx))
		}
		p.mu.Lock()
		o, ok := p.known[name]
		if !ok {
			o = &opening{done: make(chan struct{})}
			if p.known == nil {
				p.known = make(map[string]*opening)
			}
			p.known[name] = o
		}
		p.mu.Unlock()
		if !ok {
			source, err := find()
			if err == nil {
				o.content, err = p.parts.begin(ctx, source, head)
			}
			o.err = err
			if err != nil {
				p.mu.Lock()
				delete(p.known, name) // it may go better the next time
				p.mu.Unlock()
			}
			close(o.done)
			if err != nil {
				return nil, err
			}
			return p.use(name, o), nil
		}
		select {
		case <-o.done:
		case <-ctx.Done():
			continue
		}
		if o.err == nil {
			p.parts.client.meter.hit()
			return p.use(name, o), nil
		}
	}
}

// use returns an object of its own for one more user of a content.
func (p *pool) use(name string, o *opening) *object {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.users++
	return &object{content: o.content, name: name, done: func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if o.users--; o.users == 0 {
			o.content.rest()
		}
	}}
}

// rest gives back what a content holds that nobody has open, and keeps its start.
func (o *content) rest() {
	o.stream.close()
	o.disk.save(o)
}

// begin opens a content: from the disk if what is there still holds, and otherwise with
// a request for its first bytes.
func (p *parts) begin(ctx context.Context, s *source, head int64) (*content, error) {
	if head <= 0 {
		head = blockSize
	}
	o := &content{client: p.client, cache: p.cache, disk: p.disk, source: s}
	kept := p.disk.load(s.url)
	if kept != nil && (s.lasting || s.offline || p.client.offline) {
		o.take(kept)
		p.client.meter.hit()
		return o, nil
	}
	var a *answer
	err := p.client.persist(ctx, func() (_ int64, err error) {
		a, err = o.first(ctx, head, kept)
		return 0, err
	})
	if err != nil {
		return nil, err
	}
	defer a.body.Close()
	if a.status == http.StatusNotModified {
		o.take(kept)
	} else if err := o.start(ctx, a, head); err != nil {
		return nil, err
	}
	if len(a.hops) > 0 {
		o.final.Store(a.url)
	}
	return o, nil
}

// first makes the first request. What it returns is of the whole object or of its start,
// or says that what was kept still holds.
func (o *content) first(ctx context.Context, head int64, kept *entry) (*answer, error) {
	want := o.meter.most(head)
	h := make(http.Header)
	h.Set("Range", fmt.Sprintf("bytes=0-%d", want-1))
	switch {
	case kept == nil:
	case kept.ETag != "":
		h.Set("If-None-Match", kept.ETag)
	case kept.Modified != "":
		h.Set("If-Modified-Since", kept.Modified)
	}
	a, err := o.do(ctx, o.source.call(h, want))
	if err == nil && a.status == http.StatusRequestedRangeNotSatisfiable {
		// There is no first byte. Not every server says that this is why.
		a.body.Close()
		a, err = o.do(ctx, o.source.call(make(http.Header), 0))
	}
	if err != nil {
		return nil, err
	}
	switch {
	case a.status == http.StatusPartialContent, a.status == http.StatusOK, a.status == http.StatusNotModified && kept != nil:
		if o.source.learn != nil {
			err = o.source.learn(o, a)
		}
	default:
		err = o.source.refused(a)
	}
	if err != nil {
		a.body.Close()
		return nil, err
	}
	return a, nil
}

// start takes from the first answer what it says of the object, and its first bytes, at
// most so many.
func (o *content) start(ctx context.Context, a *answer, head int64) error {
	if err := a.uncoded(); err != nil {
		return err
	}
	o.etag, o.modified = a.header.Get("ETag"), a.header.Get("Last-Modified")
	n := head
	if a.status == http.StatusPartialContent {
		r, err := o.firstRun(a)
		if err != nil {
			return err
		}
		o.size, n = r.size, min(n, r.end)
	} else {
		o.plain.Store(true)
		if o.size = a.length; o.size < 0 {
			return o.endless(a, head)
		}
		n = min(n, o.size)
	}
	if o.promised > 0 && o.promised != o.size {
		return a.errorf("the object should have %d bytes, and has %d: it was not uploaded whole", o.promised, o.size)
	}
	data, err := readGrowing(a.body, n)
	if err != nil && !isTorn(err) {
		return err
	}
	if int64(len(data)) < n { // broken off: go on from there
		rest := make([]byte, n-int64(len(data)))
		if _, err := o.fetch(ctx, rest, int64(len(data))); err != nil {
			return err
		}
		data = append(data, rest...)
	}
	o.cache.put(&o.spans, data)
	return nil
}

// firstRun returns what part of the object the first answer has.
func (o *content) firstRun(a *answer) (run, error) {
	r, err := a.run()
	switch {
	case err != nil:
	case r.begin != 0:
		err = a.errorf("the first byte was asked for, and the server sends bytes from %d on", r.begin)
	case r.size < 0:
		err = a.errorf("the server does not say how large the object is: Content-Range is %.80q", a.header.Get("Content-Range"))
	}
	return r, err
}

// endless takes an object whose size the server does not say, which is so if it makes
// the object as it goes. A small one is read to its end.
func (o *content) endless(a *answer, head int64) error {
	data, err := readGrowing(a.body, head+1)
	switch {
	case err != nil:
		return err
	case int64(len(data)) > head:
		return a.errorf("the server does not say how large the object is, and knows no ranges: fetch the whole file first")
	}
	o.size = int64(len(data))
	o.cache.put(&o.spans, data)
	return nil
}

// readGrowing reads n bytes, or all that there are. Memory is taken as bytes arrive.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	data := make([]byte, 0, min(n, blockSize))
	for int64(len(data)) < n {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(n, 4*int64(cap(data)))), data...)
		}
		m, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+m]
		if err == io.EOF {
			break
		} else if err != nil {
			return data, err
		}
	}
	return data, nil
}
