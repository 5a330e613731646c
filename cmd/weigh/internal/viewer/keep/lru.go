// Values with bounds.

package keep

import "sync"

// An LRU keeps the latest values.
type LRU[K comparable, V any] struct {
	mu    sync.Mutex
	Most  int // values that are kept
	keys  []K // the latest last
	items map[K]V
}

// Get returns a value.
func (c *LRU[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[key]
	if ok {
		c.touch(key)
	}
	return v, ok
}

// Put adds a value, and drops the oldest if there are too many.
func (c *LRU[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = make(map[K]V)
	}
	c.items[key] = v
	c.touch(key)
	for len(c.keys) > c.Most {
		delete(c.items, c.keys[0])
		c.keys = append(c.keys[:0], c.keys[1:]...)
	}
}

// touch makes a key the latest.
func (c *LRU[K, V]) touch(key K) {
	for i, k := range c.keys {
		if k == key {
			c.keys = append(c.keys[:i], c.keys[i+1:]...)
			break
		}
	}
	c.keys = append(c.keys, key)
}

// A Lazy is a value that the first request computes. If that fails, the next one tries again.
type Lazy[T any] struct {
	mu    sync.Mutex
	done  bool
	value T
}

// Get returns the value.
func (l *Lazy[T]) Get(compute func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return l.value, nil
	}
	value, err := compute()
	if err == nil {
		l.value, l.done = value, true
	}
	return value, err
}

// Have returns the value if it has been computed.
func (l *Lazy[T]) Have() (T, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value, l.done
}
