// Sources that are not on this machine: read once, and never written.

package edit_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/store"
)

// far is a store that counts the bytes that are read of it.
type far struct {
	store.Store
	read *atomic.Int64
}

type farObject struct {
	store.Object
	read *atomic.Int64
}

type farReader struct {
	io.ReaderAt
	read *atomic.Int64
}

func (f far) Open(ctx context.Context, name string) (store.Object, error) {
	o, err := f.Store.Open(ctx, name)
	return farObject{o, f.read}, err
}

func (o farObject) ReaderAt(ctx context.Context) io.ReaderAt {
	return farReader{o.Object.ReaderAt(ctx), o.read}
}

func (r farReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, off)
	r.read.Add(int64(n))
	return n, err
}

// Of the data, which is 1 MiB here, every byte is fetched once; of headers more.
func TestSourcesElsewhere(t *testing.T) {
	const size = 1 << 20
	var read atomic.Int64
	dir := filepath.Dir(raw(t, `{"t":{"dtype":"U8","shape":[1048576],"data_offsets":[0,1048576]}}`+"  ", string(numbered(3, size))))
	e := setting("a", "b")
	e.Resolve = func(context.Context, store.Ref) (store.Store, error) { return far{store.Dir(dir), &read}, nil }
	const ref = "https://host.example/model.safetensors"
	target := filepath.Join(t.TempDir(), "new.safetensors")
	r, err := e.Write(t.Context(), ref, target)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Load(); got > size+size/10 {
		t.Errorf("%d bytes were read, of %d", got, size)
	}
	p := parse(t, target)
	if string(p.entries["t"].data) != string(numbered(3, size)) || p.metadata["a"] != "b" {
		t.Errorf("the file is %q", p.text)
	}
	checkRow(t, edit.Written, r.Tensors[0], p)
	if _, err := e.InPlace(t.Context(), ref); !errors.Is(err, edit.ErrRefused) {
		t.Errorf("in place: %v", err)
	}
}
