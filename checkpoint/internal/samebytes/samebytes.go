// Comparing files byte by byte.

// Package samebytes finds out whether files have the same bytes.
//
// A folder may have a thousand files of one size, such as the steps of a training run. Comparing
// each pair would read them a thousand times, so a small part of each is read once, and whole
// files only if these parts are equal.
package samebytes

import (
	"context"
	"crypto/sha256"
	"io"

	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// A Comparer compares files of a store, and keeps what it has read.
type Comparer struct {
	from        store.Store
	recall      func(path string) *shard.Knowledge
	headersOnly bool
	samples     map[string]*sample // of shards, by path; nil for one that cannot be read
	digests     map[string]*sample // of whole shards, by path
}

// New returns a comparer of files in a store. recall returns what is known of a file whose header was read.
//
// With headersOnly, only objects that the store knows to be the same are equal: a file under two
// names, a blob of the Hub's cache, or two objects with the same digest.
func New(from store.Store, recall func(path string) *shard.Knowledge, headersOnly bool) *Comparer {
	return &Comparer{from, recall, headersOnly, make(map[string]*sample), make(map[string]*sample)}
}

// A sample is the SHA-256 of the part that was read of a file.
type sample [sha256.Size]byte

// Files reports whether the files of two lists, whose sizes are equal, have the same bytes. The
// error is the cause of the end of ctx: files that cannot be read are not equal.
func (c *Comparer) Files(ctx context.Context, list, other []string) (bool, error) {
	steps := []func(context.Context, string, string) bool{c.sameSamples, c.sameFiles}
	if c.headersOnly {
		steps = []func(context.Context, string, string) bool{c.sameObject}
	}
	for _, equal := range steps {
		for i, a := range list {
			if b := other[i]; a != b && !equal(ctx, a, b) {
				return false, context.Cause(ctx)
			}
		}
	}
	return true, nil
}

func (c *Comparer) sameSamples(ctx context.Context, a, b string) bool {
	x, y := c.sample(ctx, a), c.sample(ctx, b)
	return x != nil && y != nil && *x == *y
}

// sample returns the sample of the shard at path, or nil if it cannot be read.
func (c *Comparer) sample(ctx context.Context, path string) *sample {
	if one, ok := c.samples[path]; ok {
		return one
	}
	one := c.readSample(ctx, path)
	if ctx.Err() == nil {
		c.samples[path] = one
	}
	return one
}

// readSample reads the beginning, the middle and the end of the data: training changes most
// tensors, but possibly not the first or the last.
func (c *Comparer) readSample(ctx context.Context, path string) *sample {
	const part = 64 << 10 // bytes, for which a disk or a server takes as long as for one
	object, err := c.from.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer object.Close()
	k, size := c.recall(path), object.Size()
	if size != k.Size {
		return nil // it has changed
	}
	r, begin := object.ReaderAt(ctx), min(k.Header.DataStart(), size)
	hash := sha256.New()
	for _, at := range []int64{begin, begin + (size-begin)/2, max(begin, size-part)} {
		n := min(part, size-at)
		if got, err := io.Copy(hash, io.NewSectionReader(r, at, n)); err != nil || got < n {
			return nil
		}
	}
	one := sample(hash.Sum(nil))
	return &one
}

// sameFiles reports whether two files have the same bytes. It compares SHA-256 digests, to read
// each file once, and does not read two names of one file.
func (c *Comparer) sameFiles(ctx context.Context, a, b string) bool {
	if x, y := c.digests[a], c.digests[b]; x != nil && y != nil {
		return *x == *y
	}
	return c.both(ctx, a, b, func(x, y store.Object) bool {
		if store.Same(x, y) {
			return true
		}
		one, other := c.digest(ctx, a, x), c.digest(ctx, b, y)
		return one != nil && other != nil && *one == *other
	})
}

// sameObject reports whether the store knows two shards to be the same.
func (c *Comparer) sameObject(ctx context.Context, a, b string) bool {
	return c.both(ctx, a, b, store.Same)
}

// both opens two shards and compares them. It returns false if one cannot be opened.
func (c *Comparer) both(ctx context.Context, a, b string, is func(x, y store.Object) bool) bool {
	x, err := c.from.Open(ctx, a)
	if err != nil {
		return false
	}
	defer x.Close()
	y, err := c.from.Open(ctx, b)
	if err != nil {
		return false
	}
	defer y.Close()
	return is(x, y)
}

// digest returns the SHA-256 of the shard at path, or nil if it cannot be read.
func (c *Comparer) digest(ctx context.Context, path string, object store.Object) *sample {
	if one := c.digests[path]; one != nil {
		return one
	}
	hash := sha256.New()
	size := object.Size()
	if n, err := io.Copy(hash, io.NewSectionReader(object.ReaderAt(ctx), 0, size)); err != nil || n < size {
		return nil
	}
	one := sample(hash.Sum(nil))
	c.digests[path] = &one
	return &one
}
