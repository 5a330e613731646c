// Package oci reads artifacts with models from OCI registries: CNCF ModelPack, Docker Model Runner, KitOps, ORAS, and
// others with layers that are files or tar archives.
//
// A layer that is a file is read in place, with requests for ranges, and its digest is the SHA-256 of the file. Of a
// layer that is a tar archive, the headers are read, and then its members in place.
package oci

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// Open returns the store of an oci ref. It makes no request.
func Open(s *fetch.Shared, ref store.Ref) (store.Store, error) {
	ref.Path = ""
	host, repository, ok := strings.Cut(ref.Root, "/")
	if !ok {
		return nil, fmt.Errorf("remote: %s: no repository: want oci://registry/repository[:tag]", ref)
	}
	if ref.Revision == "" {
		ref.Revision = "latest"
	}
	a := &artifact{pool: fetch.Pool{Shared: s}, ref: ref, turn: make(fetch.Slots, 1)}
	a.base = &url.URL{Scheme: "https", Host: host}
	switch {
	case host == dockerHub:
		a.base.Host = "registry-1.docker.io"
		if !strings.Contains(repository, "/") {
			repository = "library/" + repository
		}
	case auth.IsLoopback(a.base.Hostname()):
		a.base.Scheme = "http"
	}
	a.login = login{shared: s, host: host, repository: repository, origin: fetch.Origin(a.base)}
	a.base.Path = "/v2/" + repository
	return a, nil
}

// Open implements [store.Store].
func (a *artifact) Open(ctx context.Context, name string) (store.Object, error) {
	return a.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (a *artifact) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	files, err := a.contents(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	f, ok := files[name]
	if !ok {
		return nil, fmt.Errorf("%s has no file %q: %w", a.ref, name, fs.ErrNotExist)
	}
	if !f.isMember {
		return a.blob(ctx, f.layer, n)
	}
	return a.member(ctx, f, n)
}

// List implements [store.Lister].
func (a *artifact) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return fetch.Entries(ctx, a.ref, folder, store.CheckName, func() (list []store.Entry, err error) {
		files, err := a.contents(ctx, "")
		for _, name := range slices.Sorted(maps.Keys(files)) {
			list = append(list, store.Entry{Name: name, Size: files[name].size})
		}
		return list, err
	})
}

// contents returns the files of the artifact. It reads archives only if they are needed to find the named file, or if
// name is "", which means all.
func (a *artifact) contents(ctx context.Context, name string) (map[string]file, error) {
	if err := a.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer a.turn.Leave()
	if a.files == nil {
		m, err := a.resolve(ctx)
		if err != nil {
			return nil, err
		}
		files, tars, err := m.files()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.ref, err)
		}
		a.files, a.tars = files, tars
	}
	_, ok := a.files[name]
	if !ok {
		a.packed.Do(a.notePacked)
	}
	if !ok && len(a.tars) > 0 {
		files, err := a.unpack(ctx)
		if err != nil {
			return nil, err
		}
		a.files, a.tars = files, nil
	}
	return a.files, nil
}

// notePacked tells the user how to read files in compressed archives, with the first archive as the example.
func (a *artifact) notePacked() {
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		if l := a.files[name].layer; l.compression() != "" {
			ref := a.ref
			ref.Path = name
			a.shared.Notice(fmt.Sprintf("%s: files in compressed layers cannot be read in place: download the layer with "+
				"`weigh get %q -o .`, and unpack it", a.ref, ref))
			return
		}
	}
}
