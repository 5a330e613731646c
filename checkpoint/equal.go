// Comparing sets byte by byte.
//
// A folder may have a thousand files of one size, such as the steps of a training run. Comparing
// each pair would read them a thousand times, so a small part of each is read once, and whole
// files only if these parts are equal.

package checkpoint

import (
	"context"
	"crypto/sha256"
	"io"

	"github.com/weightools/safetensors/store"
)

// A sample is the SHA-256 of the part that was read of a file.
type sample [sha256.Size]byte

// sameBytes returns the evidence that two sets with shards of the same sizes have the same bytes.
// The error is the cause of the end of ctx: files that cannot be read are not equal.
//
// With HeadersOnly, only objects that the store knows to be the same are equal: a file under two
// names, a blob of the Hub's cache, or two objects with the same digest.
func (c *comparer) sameBytes(ctx context.Context, s, m *Set) (evidence, error) {
	steps := []func(context.Context, string, string) bool{c.sameSamples, c.sameFiles}
	if c.f.opts.HeadersOnly {
		steps = []func(context.Context, string, string) bool{c.sameObject}
	}
	for _, equal := range steps {
		for i := range s.Shards {
			a, b := s.Shards[i], m.Shards[i]
			if a != b && !equal(ctx, a, b) {
				return "", context.Cause(ctx)
			}
		}
	}
	return asEqual, nil
}

func (c *comparer) sameSamples(ctx context.Context, a, b string) bool {
	x, y := c.sample(ctx, a), c.sample(ctx, b)
	return x != nil && y != nil && *x == *y
}

// sample returns the sample of the shard at path, or nil if it cannot be read.
func (c *comparer) sample(ctx context.Context, path string) *sample {
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
func (c *comparer) readSample(ctx context.Context, path string) *sample {
	const part = 64 << 10 // bytes, for which a disk or a server takes as long as for one
	object, err := c.f.from.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer object.Close()
	k, size := c.f.recall(path), object.Size()
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

// sameFiles reports whether two files have the same bytes. It compares SHA-256 digests, so that
// each file is read once, and does not read two names of one file.
func (c *comparer) sameFiles(ctx context.Context, a, b string) bool {
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
func (c *comparer) sameObject(ctx context.Context, a, b string) bool {
	return c.both(ctx, a, b, store.Same)
}

// both opens two shards and compares them. It returns false if one cannot be opened.
func (c *comparer) both(ctx context.Context, a, b string, is func(x, y store.Object) bool) bool {
	x, err := c.f.from.Open(ctx, a)
	if err != nil {
		return false
	}
	defer x.Close()
	y, err := c.f.from.Open(ctx, b)
	if err != nil {
		return false
	}
	defer y.Close()
	return is(x, y)
}

// digest returns the SHA-256 of the shard at path, or nil if it cannot be read.
func (c *comparer) digest(ctx context.Context, path string, object store.Object) *sample {
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
