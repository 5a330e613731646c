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

// Origin returns the scheme, host name and port of a URL as [Opener].Header receives them:
// without the port if it is the default of the scheme.
func Origin(u *url.URL) string { return fetch.Origin(u) }

// A web is the store of a folder of a web server. It cannot be listed.
type web struct {
	pool   fetch.Pool
	ref    store.Ref
	header func(origin string) http.Header // may be nil
}

func openWeb(s *fetch.Shared, header func(origin string) http.Header, ref store.Ref) (store.Store, error) {
	if _, err := ref.URL(); err != nil {
		return nil, err
	}
	return &web{fetch.Pool{Shared: s}, ref, header}, nil
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
		return &fetch.Source{URL: u, Access: w.access(u), Learn: learn(u)}, nil
	})
}

// access returns what sends the fields of the Opener, and the user name and password of the URL.
func (w *web) access(u *url.URL) fetch.Access {
	return func(r *http.Request) error {
		origin := fetch.Origin(r.URL)
		if w.header != nil {
			for name, values := range w.header(origin) {
				r.Header[http.CanonicalHeaderKey(name)] = values
			}
		}
		if u.User != nil && origin == fetch.Origin(u) {
			password, _ := u.User.Password()
			r.SetBasicAuth(u.User.Username(), password)
		}
		return nil
	}
}

// learn returns what takes the name of a file from an answer. It fails if the server redirected
// u to the same URL with a slash at its end. Servers do this for folders, and then send an
// HTML page.
func learn(u *url.URL) func(*fetch.Answer, *fetch.Facts) error {
	return func(a *fetch.Answer, f *fetch.Facts) error {
		if len(a.Hops) > 0 && a.URL.Host == u.Host && a.URL.Path == u.Path+"/" {
			e := a.Errorf("")
			e.Err = fetch.Reason(fs.ErrNotExist, "it is a folder")
			return e
		}
		f.Name = fetch.FileName(a.Header)
		return nil
	}
}
