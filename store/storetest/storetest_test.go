// The suite passes a good store, and finds the fault of each bad one.

package storetest

import (
	"context"
	"io"
	"iter"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/store"
)

// memory returns a good store.
func memory(files map[string][]byte) store.Lister {
	fsys := make(fstest.MapFS)
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: content}
	}
	return store.FS(fsys)
}

func TestGoodStore(t *testing.T) {
	Run(t, func(t *testing.T, files map[string][]byte) store.Store { return memory(files) })
}

// TestStoreWithoutLister: what cannot be listed is tested all the same.
func TestStoreWithoutLister(t *testing.T) {
	Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return struct{ store.Store }{memory(files)}
	})
}

// A fault is a store that breaks one law. What is nil is done well.
type fault struct {
	store.Lister
	open  func(ctx context.Context, good store.Lister, name string) (store.Object, error)
	read  func(r io.ReaderAt, p []byte, off int64) (int, error)
	size  func(int64) int64
	task  func(context.Context) context.Context // of ReaderAt
	close func(o store.Object) error
	list  func(ctx context.Context, good store.Lister) iter.Seq2[store.Entry, error]
}

func (f *fault) Open(ctx context.Context, name string) (store.Object, error) {
	open := f.open
	if open == nil {
		open = openWell
	}
	o, err := open(ctx, f.Lister, name)
	if err != nil {
		return nil, err
	}
	return &faultyObject{o, f}, nil
}

func openWell(ctx context.Context, good store.Lister, name string) (store.Object, error) {
	return good.Open(ctx, name)
}

func (f *fault) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	if f.list != nil {
		return f.list(ctx, f.Lister)
	}
	return f.Lister.List(ctx, folder)
}

type faultyObject struct {
	store.Object
	*fault
}

func (o *faultyObject) Size() int64 {
	if o.size != nil {
		return o.size(o.Object.Size())
	}
	return o.Object.Size()
}

func (o *faultyObject) Close() error {
	if o.close != nil {
		return o.close(o.Object)
	}
	return o.Object.Close()
}

func (o *faultyObject) ReaderAt(ctx context.Context) io.ReaderAt {
	if o.task != nil {
		ctx = o.task(ctx)
	}
	return &faultyReader{o.Object.ReaderAt(ctx), o.fault}
}

type faultyReader struct {
	good io.ReaderAt
	*fault
}

func (r *faultyReader) ReadAt(p []byte, off int64) (int, error) {
	if r.read != nil {
		return r.read(r.good, p, off)
	}
	return r.good.ReadAt(p, off)
}

func TestFaultsAreFound(t *testing.T) {
	for _, group := range [][]faultTest{readFaults, openFaults, listFaults} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) { test.run(t) })
		}
	}
}

// TestEveryCheckHasFault: a check that nothing fails may be no check at all.
func TestEveryCheckHasFault(t *testing.T) {
	found := make(map[string]bool)
	for _, group := range [][]faultTest{readFaults, openFaults, listFaults} {
		for _, test := range group {
			found[test.check] = true
		}
	}
	for _, c := range checks {
		if !found[c.name] {
			t.Errorf("no store fails the check %q", c.name)
		}
	}
}

// A faultTest is a store with a fault, and the check that finds it.
type faultTest struct {
	name  string
	check string
	fault
}

func (test *faultTest) run(t *testing.T) {
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == test.check })
	if i < 0 {
		t.Fatalf("there is no check %q", test.check)
	}
	c := checks[i]
	f := test.fault
	f.Lister = memory(c.files)
	if err := c.run(t.Context(), &f, c.files); err == nil {
		t.Errorf("the check %q found nothing", test.check)
	} else {
		t.Log(err)
	}
}
