// What is known of the shards of a folder.

package shard

import (
	"context"
	"sync"

	"github.com/weightools/safetensors/store"
)

// Known keeps what is known of shards, by their paths in a store. The zero value is empty.
type Known struct {
	mu     sync.Mutex
	shards map[string]*Knowledge
}

// Recall returns what is known of the shard at path, or nil.
func (k *Known) Recall(path string) *Knowledge {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shards[path]
}

// Remember keeps what is known of a shard.
func (k *Known) Remember(path string, known *Knowledge) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shards == nil {
		k.shards = make(map[string]*Knowledge)
	}
	k.shards[path] = known
}

// Learn returns what is known of the shard at path, nil if it cannot be read. It reads the header, whose expected size
// is head, if need be.
func (k *Known) Learn(ctx context.Context, from store.Store, path string, head int64, o *Options) *Knowledge {
	if known := k.Recall(path); known != nil {
		return known
	}
	s := New(path, from, o, nil)
	s.Head = head
	defer s.Close()
	known, err := s.Read(ctx)
	if err != nil {
		return nil
	}
	k.Remember(path, known)
	return known
}
