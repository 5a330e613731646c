// Web servers: the objects beside one another in a folder of URLs.

package remote

import (
	"context"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"github.com/weightools/safetensors/store"
)

// A web is the store of a web server's folder. It cannot be listed.
type web struct {
	pool
	ref store.Ref
}

func (o *Opener) openWeb(ref store.Ref) (store.Store, error) {
	if _, err := ref.URL(); err != nil {
		return nil, err
	}
	return &web{pool{Opener: o, parts: o.shared()}, ref}, nil
}

// Open finds an object: see [store.Store].
func (w *web) Open(ctx context.Context, name string) (store.Object, error) {
	return w.OpenHead(ctx, name, 0)
}

// OpenHead is Open with the first bytes: see [store.OpenHead].
func (w *web) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	return w.open(ctx, name, n, func() (*source, error) {
		ref := w.ref
		ref.Path = name
		u, err := ref.URL()
		if err != nil {
			return nil, err
		}
		return &source{url: u, access: w.access(u), learn: notFolder}, nil
	})
}

// access returns what shows who asks: the user name and password of the URL, or a token.
func (w *web) access(u *url.URL) access {
	return func(r *http.Request) error {
		origin := originOf(r.URL)
		if u.User != nil && origin == originOf(u) {
			password, _ := u.User.Password()
			r.SetBasicAuth(u.User.Username(), password)
		} else if w.Token != nil {
			if token := w.Token(origin); token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		}
		return nil
	}
}

// originOf returns what tells one server from another: scheme, name, and port if it is
// not the scheme's own.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

// notFolder returns an error if the server has sent the caller from "name" to "name/",
// as servers do for folders. What comes then is a list of files for people.
func notFolder(o *content, a *answer) error {
	if len(a.hops) > 0 && a.url.Host == o.source.url.Host && a.url.Path == o.source.url.Path+"/" {
		e := a.errorf("")
		e.Err = &saidError{"it is a folder", fs.ErrNotExist}
		return e
	}
	return nil
}
