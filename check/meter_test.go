// A store that counts what is read of it.

package check_test

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/weightools/safetensors/store"
)

// A meter counts the bytes that are read of a store.
type meter struct {
	store.Lister
	read atomic.Int64
}

func (m *meter) Open(ctx context.Context, name string) (store.Object, error) {
	o, err := m.Lister.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &meteredObject{o, m}, nil
}

type meteredObject struct {
	store.Object
	m *meter
}

func (o *meteredObject) ReaderAt(ctx context.Context) io.ReaderAt {
	return &meteredReader{o.Object.ReaderAt(ctx), o.m}
}

type meteredReader struct {
	io.ReaderAt
	m *meter
}

func (r *meteredReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.m.read.Add(int64(n))
	return n, err
}
