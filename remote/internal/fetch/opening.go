// Opening an object: one request for its size and its first bytes.

package fetch

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"sync"

	"github.com/weightools/safetensors/store"
)

// A Pool holds the objects of one store by name. Opening one again needs no request, because
// the objects of a store do not change.
type Pool struct {
	Shared *Shared

	listings listings

	mu    sync.Mutex
	known map[string]*opening
}

// An opening is an object that is open or being opened.
type opening struct {
	done    chan struct{} // closed when content or err is set
	content *content
	err     error
	users   int // how many have it open; guarded by the pool's lock
}

// Open returns the named object, whose source is the result of find, and prepares for reading
// its first head bytes. If several goroutines open one object at the same time, one of them
// makes the request.
func (p *Pool) Open(ctx context.Context, name string, head int64, find func() (*Source, error)) (store.Object, error) {
	for {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("opening %q: %w", name, context.Cause(ctx))
		}
		p.mu.Lock()
		o, ok := p.known[name]
		if !ok && p.listings.lacks(name) {
			p.mu.Unlock()
			return nil, &fs.PathError{Op: "open", Path: name, Err: errUnlisted}
		}
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
				o.content, err = p.Shared.begin(ctx, source, head)
			}
			o.err = err
			if err != nil {
				p.mu.Lock()
				delete(p.known, name) // another attempt may succeed
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
			p.Shared.Hit()
			return p.use(name, o), nil
		}
	}
}

// use returns a new object for a content.
func (p *Pool) use(name string, o *opening) *object {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.users++
	return &object{content: o.content, name: name, done: func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if o.users--; o.users == 0 {
			o.content.stream.close()
			o.content.save()
		}
	}}
}

// begin opens a content: from disk if the entry there is still valid, and otherwise with a
// request for its first bytes.
func (s *Shared) begin(ctx context.Context, source *Source, head int64) (*content, error) {
	if head <= 0 {
		head = blockSize
	}
	o := &content{client: s.client, cache: s.cache, disk: s.disk, source: source}
	kept := s.disk.load(source.URL)
	if kept != nil && (source.Lasting || source.Offline || s.client.offline) {
		o.take(kept)
		s.Hit()
		return o, nil
	}
	var a *Answer
	err := s.client.persist(ctx, func() (_ int64, err error) {
		a, err = o.first(ctx, head, kept)
		return 0, err
	})
	if err != nil {
		return nil, err
	}
	defer a.body.Close()
	if a.Status == http.StatusNotModified {
		o.take(kept)
		o.version.settle(a.Header)
	} else if err := o.start(ctx, a, head); err != nil {
		return nil, err
	}
	if len(a.Hops) > 0 {
		o.final.Store(a)
	}
	return o, nil
}

// first makes the first request. The answer holds the whole object, its start, or the status
// "not modified" if the entry on disk is still valid.
func (o *content) first(ctx context.Context, head int64, kept *entry) (*Answer, error) {
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
	if err == nil && a.Status == http.StatusRequestedRangeNotSatisfiable {
		// The object is probably empty, but not every server says so.
		a.body.Close()
		a, err = o.do(ctx, o.source.call(make(http.Header), 0))
	}
	if err != nil {
		return nil, err
	}
	switch {
	case a.Status == http.StatusPartialContent, a.Status == http.StatusOK,
		a.Status == http.StatusNotModified && kept != nil:
		if o.source.Learn != nil {
			err = o.source.Learn(a, &o.facts)
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

// start initializes a content from the first answer, and reads its first head bytes.
func (o *content) start(ctx context.Context, a *Answer, head int64) error {
	if err := a.usable(); err != nil {
		return err
	}
	o.version = see(a)
	if o.sum.known = o.facts.Sum; o.sum.known == nil {
		o.sum.known = o.source.Checksums.sumOf(a.Header)
	}
	n := head
	if a.Status == http.StatusPartialContent {
		r, err := a.firstRun()
		if err != nil {
			return err
		}
		o.size, n = r.size, min(n, r.end)
	} else {
		o.plain.Store(true)
		if o.size = a.length; o.size < 0 {
			return o.unsized(a, head)
		}
		n = min(n, o.size)
	}
	if o.facts.Size > 0 && o.facts.Size != o.size {
		return a.Errorf("the object should have %d bytes, and has %d: its upload is incomplete", o.facts.Size, o.size)
	}
	data, err := readGrowing(a.body, n)
	if err != nil && !isTorn(err) {
		return err
	}
	if int64(len(data)) < n { // the connection broke: continue from there
		rest := make([]byte, n-int64(len(data)))
		if _, err := o.fetch(ctx, rest, int64(len(data))); err != nil {
			return err
		}
		data = append(data, rest...)
	}
	o.cache.put(&o.spans, data)
	return nil
}

// unsized handles an answer without a size, which servers send if they generate the object on
// the fly. An object of up to head bytes is read completely.
func (o *content) unsized(a *Answer, head int64) error {
	data, err := readGrowing(a.body, head+1)
	switch {
	case err != nil:
		return err
	case int64(len(data)) > head:
		return a.Errorf("the server does not send the size of the object and does not support ranges: download it " +
			"with another program, such as curl, and read the local file")
	}
	o.size = int64(len(data))
	o.cache.put(&o.spans, data)
	return nil
}
