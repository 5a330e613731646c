// The store of a repository of the Hugging Face Hub at one commit.

// Package hub implements the stores of hf:// refs.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/hubcache"
	"github.com/weightools/safetensors/store"
)

// A hub is the store of one revision of a repository. It reads files from the local cache of
// the library huggingface_hub, if they are there.
type hub struct{ lister }

// Open returns the store of ref. The token is the one of the Opener; "" means the one of the
// environment. Open makes no request.
func Open(s *fetch.Shared, token string, ref store.Ref) (store.Store, error) {
	endpoint, ok := auth.Endpoint(cmp.Or(s.Env("HF_ENDPOINT"), "https://huggingface.co"))
	if !ok {
		return nil, errors.New("remote: the environment variable HF_ENDPOINT is not an http or https URL")
	}
	h := new(hub)
	h.pool.Shared = s
	h.shared, h.given, h.endpoint, h.ref = s, token, endpoint, ref
	h.kind, h.repo, h.turn = "models", ref.Root, make(fetch.Slots, 1)
	h.ref.Path = ""
	if strings.Count(ref.Root, "/") == 2 {
		h.kind, h.repo, _ = strings.Cut(ref.Root, "/")
	}
	if h.kind == "buckets" {
		return nil, fmt.Errorf("remote: %s: read buckets as s3://, with AWS_ENDPOINT_URL=https://s3.hf.co/<organization>",
			ref)
	}
	if h.ref.Revision == "" {
		h.ref.Revision = "main"
	}
	h.local = hubcache.NewRepo(cacheFolder(s), h.kind, h.repo)
	h.offline.Store(s.Offline() || s.EnvIsTrue("HF_HUB_OFFLINE"))
	if hubcache.IsCommit(h.ref.Revision) {
		h.commit = h.ref.Revision
		h.savedCommit() // for the name of the repository
	}
	return h, nil
}

// Open implements [store.Store].
func (h *hub) Open(ctx context.Context, name string) (store.Object, error) {
	return h.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (h *hub) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	if err := h.turn.Take(ctx); err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	if h.isCold() {
		defer h.turn.Leave()
		return h.fromServer(ctx, name, n)
	}
	_, err := h.pinInTurn(ctx)
	h.turn.Leave()
	if err != nil {
		return nil, err
	}
	if o := h.local.Open(ctx, h.pinned(), name); o != nil {
		return o, nil
	}
	return h.fromServer(ctx, name, n)
}

// Snapshot returns the files of a folder for the cache of the library huggingface_hub. It requests the listing of
// the folder, unless that is known.
func (h *hub) Snapshot(ctx context.Context, folder string) (*hubcache.Snapshot, error) {
	s := &hubcache.Snapshot{Repo: h.local, Revision: h.ref.Revision, Whole: folder == ""}
	for e, err := range h.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		s.Files = append(s.Files, hubcache.File{Path: e.Name, Size: e.Size})
	}
	if s.Commit = h.pinned(); s.Commit == "" {
		return nil, fmt.Errorf("%s does not send commit IDs, and the Hub's cache needs them", h.endpoint.Host)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range s.Files {
		f := &s.Files[i]
		listed := h.listed[f.Path]
		f.Blob, f.GitID = listed.blob(), listed.OID
		if !hubcache.IsBlob(f.Blob) {
			return nil, fmt.Errorf("%s: the listing of %q has no digest: connect to the Hub", h.ref, f.Path)
		}
	}
	return s, nil
}
