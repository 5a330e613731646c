// Files and stores that the tests make.

package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// A tensor of the tests has one number in all its bytes.
type tensor struct {
	name   string
	dtype  safetensors.Dtype
	shape  []int64
	number byte
}

// f32 returns a tensor of four F32, which is 16 bytes.
func f32(name string, number byte) tensor {
	return tensor{name, safetensors.F32, []int64{4}, number}
}

// file returns a file that breaks no rule.
func file(t testing.TB, tensors ...tensor) []byte {
	t.Helper()
	h := safetensors.Header{Metadata: map[string]string{"format": "pt"}}
	var data []byte
	for _, one := range tensors {
		info := safetensors.TensorInfo{Name: one.name, Dtype: one.dtype, Shape: one.shape}
		size, ok := one.dtype.Size(info.NumElems())
		if !ok {
			t.Fatalf("tensor %q has no size", one.name)
		}
		info.Offsets.Begin = int64(len(data))
		data = append(data, bytes.Repeat([]byte{one.number}, int(size))...)
		info.Offsets.End = int64(len(data))
		h.Tensors = append(h.Tensors, info)
	}
	start, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return append(start, data...)
}

// A folder is the files of a store, by their paths.
type folder map[string][]byte

// index adds an index for tensors that are given by shard.
func (f folder) index(t testing.TB, path string, shards map[string][]string) {
	t.Helper()
	x := checkpoint.Index{TotalSize: -1, TotalParameters: -1}
	for shard, tensors := range shards {
		for _, name := range tensors {
			x.Tensors = append(x.Tensors, checkpoint.IndexEntry{Tensor: name, Shard: shard})
		}
	}
	text, err := x.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	f[path] = text
}

func (f folder) store() store.Lister {
	fsys := make(fstest.MapFS)
	for name, content := range f {
		fsys[name] = &fstest.MapFile{Data: content}
	}
	return store.FS(fsys)
}

// open opens the checkpoint at path in the folder, and closes it after the test.
func (f folder) open(t testing.TB, path string, opts *checkpoint.Options) *checkpoint.Checkpoint {
	t.Helper()
	return open(t, f.store(), path, opts)
}

func open(t testing.TB, from store.Store, path string, opts *checkpoint.Options) *checkpoint.Checkpoint {
	t.Helper()
	cp, err := checkpoint.New(t.Context(), from, path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cp.Close(); err != nil {
			t.Error(err)
		}
	})
	return cp
}

// two returns a folder of two shards, with an index.
func two(t testing.TB) folder {
	f := folder{shardOne: file(t, f32("a", 1)), shardTwo: file(t, f32("b", 2), f32("c", 3))}
	f.index(t, indexName, map[string][]string{shardOne: {"a"}, shardTwo: {"b", "c"}})
	return f
}

const (
	indexName = "model.safetensors.index.json"
	shardOne  = "model-00001-of-00002.safetensors"
	shardTwo  = "model-00002-of-00002.safetensors"
)

// A spy is a store that keeps a list of what is opened, and fails as it is told.
type spy struct {
	store.Store
	mu     sync.Mutex
	opened []string
	open   int                                        // how many objects are open
	read   int64                                      // how many bytes were
	fail   func(ctx context.Context, op string) error // op is "open NAME" or "read NAME"; may be nil
}

func (s *spy) Open(ctx context.Context, name string) (store.Object, error) {
	if err := s.failure(ctx, "open "+name); err != nil {
		return nil, err
	}
	o, err := s.Store.Open(ctx, name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, name)
	if err != nil {
		return nil, err
	}
	s.open++
	return &spiedObject{Object: o, name: name, spy: s}, nil
}

func (s *spy) failure(ctx context.Context, op string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(ctx, op)
}

// A listingSpy can be listed, as a spy alone cannot.
type listingSpy struct{ *spy }

func (s listingSpy) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return s.Store.(store.Lister).List(ctx, folder)
}

type spiedObject struct {
	store.Object
	name   string
	spy    *spy
	closed sync.Once
}

func (o *spiedObject) ReaderAt(ctx context.Context) io.ReaderAt {
	return &spiedReader{o.Object.ReaderAt(ctx), ctx, o}
}

func (o *spiedObject) SameAs(other store.Object) bool {
	p, ok := other.(*spiedObject)
	return ok && store.Same(o.Object, p.Object)
}

func (o *spiedObject) Close() error {
	o.closed.Do(func() {
		o.spy.mu.Lock()
		defer o.spy.mu.Unlock()
		o.spy.open--
	})
	return o.Object.Close()
}

type spiedReader struct {
	io.ReaderAt
	ctx    context.Context
	object *spiedObject
}

func (r *spiedReader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.object.spy.failure(r.ctx, "read "+r.object.name); err != nil {
		return 0, err
	}
	n, err := r.ReaderAt.ReadAt(p, off)
	r.object.spy.mu.Lock()
	defer r.object.spy.mu.Unlock()
	r.object.spy.read += int64(n)
	return n, err
}

// tensors returns "name dtype shape first-byte" of what Tensors yields, and the
// errors in between.
func tensors(t testing.TB, cp *checkpoint.Checkpoint) (said []string, err error) {
	t.Helper()
	for one, failed := range cp.Tensors(t.Context()) {
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		b, failed := one.Bytes()
		if failed != nil {
			t.Errorf("tensor %q: %v", one.Name, failed)
		}
		if one.Size() > 0 {
			b = b[:1]
		}
		said = append(said, fmt.Sprintf("%s %s %s %d", one.Name, one.Dtype, one.ShapeString(), b))
	}
	return said, err
}

// rules returns the rules that found violations break, separated by spaces.
func rules(found []located) string {
	var names []string
	for _, f := range found {
		names = append(names, string(f.Rule))
	}
	return strings.Join(names, " ")
}
