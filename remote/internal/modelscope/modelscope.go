// Package modelscope reads models from ModelScope over the interface that its Python package uses.
package modelscope

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A repo is the store of a model at one commit, which the listing says.
type repo struct {
	pool     fetch.Pool
	ref      store.Ref // without a path
	endpoint *url.URL
	token    string

	turn fetch.Slots // to request the listing
	list *listing    // nil until then
}

// Open returns the store of an ms ref. It makes no request.
func Open(s *fetch.Shared, ref store.Ref) (store.Store, error) {
	endpoint, err := findEndpoint(s.Env)
	if err != nil {
		return nil, err
	}
	ref.Path = ""
	if ref.Revision == "" {
		ref.Revision = "master"
	}
	return &repo{pool: fetch.Pool{Shared: s}, ref: ref, endpoint: endpoint, token: s.Env("MODELSCOPE_API_TOKEN"),
		turn: make(fetch.Slots, 1)}, nil
}

// findEndpoint returns the URL of ModelScope, which may be given without a scheme.
func findEndpoint(env func(string) string) (*url.URL, error) {
	for _, name := range []string{"MODELSCOPE_ENDPOINT", "MODELSCOPE_DOMAIN"} {
		value := strings.TrimSpace(env(name))
		if value == "" {
			continue
		}
		if !strings.Contains(value, "://") {
			value = "https://" + value
		}
		u, ok := auth.Endpoint(value)
		if !ok || u.User != nil {
			return nil, fmt.Errorf("remote: the environment variable %s is not a host or an http or https URL", name)
		}
		return u, nil
	}
	return &url.URL{Scheme: "https", Host: "modelscope.cn"}, nil
}

// Open implements [store.Store].
func (r *repo) Open(ctx context.Context, name string) (store.Object, error) {
	return r.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (r *repo) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	list, err := r.listing(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	f, ok := list.find(name)
	if !ok {
		return nil, fmt.Errorf("%s has no file %q: %w", r.ref, name, fs.ErrNotExist)
	}
	o, err := r.pool.Open(ctx, name, n, func() (*fetch.Source, error) { return r.source(list, f), nil })
	if err == nil && o.Size() != f.Size {
		o.Close()
		return nil, fmt.Errorf("%s: %q has %d bytes, and %d in the listing: %w", r.ref, name, o.Size(), f.Size,
			fetch.ErrChanged)
	}
	return o, err
}

// List implements [store.Lister].
func (r *repo) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return fetch.Entries(ctx, r.ref, folder, store.CheckName, func() ([]store.Entry, error) {
		list, err := r.listing(ctx)
		if err != nil {
			return nil, err
		}
		return list.entries(), nil
	})
}

// url returns a URL of the interface for the model.
func (r *repo) url(path string, query url.Values) *url.URL {
	u := *r.endpoint
	u.Path, u.RawPath, u.RawQuery = u.Path+"/api/v1/models/"+r.ref.Root+path, "", query.Encode()
	return &u
}

// source returns the source of a file.
func (r *repo) source(list *listing, f file) *fetch.Source {
	u := r.url("/repo", url.Values{"Revision": {list.revision}, "FilePath": {f.Path}})
	return &fetch.Source{URL: u, Access: r.access, Lasting: list.isPinned, Explain: func(a *fetch.Answer) *fetch.Error {
		e := r.explain(a)
		e.URL += "/" + f.Path // the query has it, and errors do not
		return e
	}, Learn: func(_ *fetch.Answer, facts *fetch.Facts) error {
		facts.SHA256, facts.Size = f.digest(), f.Size
		return nil
	}}
}

// access sends the token to the endpoint and to no other server. Some parts of ModelScope accept it as a cookie only.
func (r *repo) access(q *http.Request) error {
	if r.token == "" || fetch.Origin(q.URL) != fetch.Origin(r.endpoint) {
		return nil
	}
	if strings.ContainsAny(r.token, "\r\n;, \"") {
		return fetch.Reason(fs.ErrPermission, "the environment variable MODELSCOPE_API_TOKEN is not a token")
	}
	q.Header.Set("Authorization", "Bearer "+r.token)
	q.Header.Set("Cookie", "m_session_id="+r.token)
	return nil
}

// explain turns a refusal into an error that says what to do.
func (r *repo) explain(a *fetch.Answer) *fetch.Error {
	e := a.Refusal()
	if fetch.Origin(a.URL) != fetch.Origin(r.endpoint) {
		return e
	}
	text, is := "", error(nil)
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text, is = "access denied", fs.ErrPermission
	case http.StatusNotFound:
		text, is = "there is no such model, revision or file, or it is private", fs.ErrNotExist
	default:
		return e
	}
	if r.token == "" {
		text += ": set MODELSCOPE_API_TOKEN if it is yours"
	} else {
		text += ": check MODELSCOPE_API_TOKEN"
	}
	e.Err = fetch.Reason(is, text)
	return e
}
