// The in-memory cache: spans of bytes, evicted in order of last use.

package fetch

import (
	"container/list"
	"slices"
	"sort"
	"sync"
)

// blockSize is the minimum that a cache miss fetches, in bytes. Fetching fewer bytes would
// take as long.
const blockSize = 64 << 10

// overhead is roughly the memory that a span takes in addition to its bytes.
const overhead = 200

// A cache keeps spans of all objects of an Opener, up to its limit.
type cache struct {
	limit int64

	mu   sync.Mutex
	held int64
	used list.List // of *span that have data, last used first
}

// Spans are the cached spans of one object, in order and without overlap. The cache's lock
// guards them.
type spans struct{ list []*span }

// A span is a run of bytes of an object that is cached or being fetched.
type span struct {
	of         *spans
	begin, end int64
	ready      chan struct{} // closed when data or err is set
	data       []byte
	err        error
	place      *list.Element // in cache.used; nil while the span is being fetched
}

func newSpan(of *spans, begin, end int64) *span {
	return &span{of: of, begin: begin, end: end, ready: make(chan struct{})}
}

// claim returns the spans that cover a run of bytes of an object, in order. The caller has to
// fetch and settle the spans in mine. New spans cover whole blocks within size,
// or exactly what is missing if exact is set.
func (c *cache) claim(of *spans, begin, end, size int64, exact bool) (all, mine []*span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for begin < end {
		i := of.search(begin)
		if i < len(of.list) && of.list[i].begin <= begin {
			s := of.list[i]
			if s.place != nil {
				c.used.MoveToFront(s.place)
			}
			all, begin = append(all, s), s.end
			continue
		}
		from, to := begin, end
		if !exact {
			from, to = begin/blockSize*blockSize, (end+blockSize-1)/blockSize*blockSize
		}
		to = min(to, size)
		if i > 0 {
			from = max(from, of.list[i-1].end)
		}
		if i < len(of.list) {
			to = min(to, of.list[i].begin)
		}
		s := newSpan(of, from, to)
		of.list = slices.Insert(of.list, i, s)
		all, mine, begin = append(all, s), append(mine, s), to
	}
	return all, mine
}

// search returns the index of the first span that ends after off.
func (sp *spans) search(off int64) int {
	return sort.Search(len(sp.list), func(i int) bool { return sp.list[i].end > off })
}

// covers reports whether a run of bytes is cached or being fetched.
func (c *cache) covers(of *spans, begin, end int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := of.search(begin); begin < end; i++ {
		if i == len(of.list) || of.list[i].begin > begin {
			return false
		}
		begin = of.list[i].end
	}
	return true
}

// settle stores the data of a claimed span, or the error of fetching it. After an error, a
// reader that needs the span claims it again.
func (c *cache) settle(s *span, data []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.data, s.err = data, err
	close(s.ready)
	if err != nil {
		c.forget(s)
		return
	}
	s.place = c.used.PushFront(s)
	c.held += int64(len(data)) + overhead
	for c.held > c.limit && c.used.Len() > 0 {
		c.evict(c.used.Back().Value.(*span))
	}
}

// put adds the start of an object, which was fetched without a claim.
func (c *cache) put(of *spans, data []byte) {
	if len(data) == 0 {
		return
	}
	c.mu.Lock()
	s := newSpan(of, 0, int64(len(data)))
	of.list = slices.Insert(of.list, 0, s)
	c.mu.Unlock()
	c.settle(s, data, nil)
}

// start returns a copy of the bytes that are cached from the object's start on, at most so
// many.
func (c *cache) start(of *spans, most int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b []byte
	for _, s := range of.list {
		if s.place == nil || s.begin != int64(len(b)) || s.end > most {
			break
		}
		b = append(b, s.data...)
	}
	return b
}

// evict drops a span. Readers that hold it can finish. The caller holds the lock.
func (c *cache) evict(s *span) {
	c.used.Remove(s.place)
	c.held -= int64(len(s.data)) + overhead
	s.place = nil
	c.forget(s)
}

// forget removes a span from its object. The caller holds the lock.
func (c *cache) forget(s *span) {
	s.of.list = slices.DeleteFunc(s.of.list, func(one *span) bool { return one == s })
}
