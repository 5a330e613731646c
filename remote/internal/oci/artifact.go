// An artifact as a store, and its layers as objects.

package oci

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// An artifact is the store of the files of an artifact. Its manifest is fetched once, so the store does not change if
// the tag is moved.
type artifact struct {
	login
	pool fetch.Pool
	ref  store.Ref // without a path
	base *url.URL  // of the repository

	turn  fetch.Slots // to read the manifest and archives
	files map[string]file
	tars  []layer // archives whose members are not in files yet

	packed sync.Once // the notice about compressed archives
}

// source returns the source for a path below the repository.
func (a *artifact) source(path string, learn func(*fetch.Answer, *fetch.Facts) error) *fetch.Source {
	return &fetch.Source{URL: a.base.JoinPath(path), Access: a.access, Explain: a.explain, Learn: learn}
}

// blob opens a layer, and checks that it has the size that the manifest says.
func (a *artifact) blob(ctx context.Context, l layer, n int64) (o store.Object, err error) {
	const usual = 64 << 10 // how much is read if n is 0
	if max(n, usual) > l.Size {
		n = l.Size // some registries refuse ranges beyond the end
	}
	err = a.try(func() error {
		o, err = a.pool.Open(ctx, l.Digest, n, func() (*fetch.Source, error) {
			s := a.source("blobs/"+l.Digest, func(_ *fetch.Answer, f *fetch.Facts) error {
				f.SHA256, f.Size = strings.TrimPrefix(l.Digest, sha256Prefix), l.Size
				return nil
			})
			s.Lasting = true
			return s, nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.Size() != l.Size {
		o.Close()
		return nil, fmt.Errorf("%s: layer %s has %d bytes, and should have %d by the manifest", a.ref, l.Digest, o.Size(),
			l.Size)
	}
	return o, nil
}
