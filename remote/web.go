// Web servers: the files in a folder of URLs.

package remote

import (
	"context"
	"io/fs"
	"net/http"
	"net/url"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A web is the store of a folder of a web server. It cannot be listed.
type web struct {
	pool  fetch.Pool
	ref   store.Ref
	token func(origin string) string // may be nil
}

func openWeb(s *fetch.Shared, token func(origin string) string, ref store.Ref) (store.Store, error) {
	if _, err := ref.URL(); err != nil {
		return nil, err
	}
	return &web{fetch.Pool{Shared: s}, ref, token}, nil
}

// Open implements [store.Store].
func (w *web) Open(ctx context.Context, name string) (store.Object, error) {
	return w.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (w *web) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	return w.pool.Open(ctx, name, n, func() (*fetch.Source, error) {
		ref := w.ref
		ref.Path = name
		u, err := ref.URL()
		if err != nil {
			return nil, err
		}
		return &fetch.Source{URL: u, Access: w.access(u), Learn: notFolder(u)}, nil
	})
}

// access returns what sends the user name and password of the URL, or else a token.
func (w *web) access(u *url.URL) fetch.Access {
	return func(r *http.Request) error {
		origin := fetch.Origin(r.URL)
		if u.User != nil && origin == fetch.Origin(u) {
			password, _ := u.User.Password()
			r.SetBasicAuth(u.User.Username(), password)
		} else if w.token != nil {
			if token := w.token(origin); token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		}
		return nil
	}
}

// notFolder returns a check that fails if the server redirected u to the same URL with a slash
// at its end. Servers do this for folders, and then send an HTML page.
func notFolder(u *url.URL) func(*fetch.Answer, *fetch.Facts) error {
	return func(a *fetch.Answer, _ *fetch.Facts) error {
		if len(a.Hops) > 0 && a.URL.Host == u.Host && a.URL.Path == u.Path+"/" {
			e := a.Errorf("")
			e.Err = fetch.Reason(fs.ErrNotExist, "it is a folder")
			return e
		}
		return nil
	}
}
