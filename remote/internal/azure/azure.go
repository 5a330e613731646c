// Package azure reads blobs of Azure Blob Storage over its REST interface.
//
// Credentials come from where Azure's own programs look for them: connection strings, account keys and signatures (SAS)
// in the environment, a service principal, a workload or managed identity, and a login with the Azure CLI. Without
// credentials, requests are anonymous.
package azure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// apiVersion is the version of the interface. Listings have file types and escaped names since 2021-02-12.
const apiVersion = "2021-12-02"

// A container is the store of the blobs in a container.
type container struct {
	pool fetch.Pool
	ref  store.Ref // without a path
	name string    // of the container
	account
	header http.Header // additional fields, from the user

	identities []*identity  // to try, the preferred one first
	accepted   atomic.Int32 // index of the identity that was accepted last
}

// Open returns the store of an az ref. It makes no request. Header returns fields to add to requests to an origin. It
// may be nil.
func Open(s *fetch.Shared, ref store.Ref, header func(origin string) http.Header) (store.Store, error) {
	ref.Path = ""
	host, name, _ := strings.Cut(ref.Root, "/")
	a, err := findAccount(s.Env, host)
	if err != nil {
		return nil, err
	}
	c := &container{pool: fetch.Pool{Shared: s}, ref: ref, name: name, account: *a}
	if header != nil {
		c.header = header(fetch.Origin(a.endpoint))
	}
	if c.header.Get("Authorization") != "" {
		c.identities = []*identity{{kind: byToken, what: "the header Authorization", access: nothing}}
		return c, nil
	}
	c.identities, err = findIdentities(s, a)
	return c, err
}

// Open implements [store.Store].
func (c *container) Open(ctx context.Context, name string) (store.Object, error) {
	return c.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (c *container) OpenHead(ctx context.Context, name string, n int64) (o store.Object, err error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	err = c.try(func(i *identity) error {
		o, err = c.pool.Open(ctx, name, n, func() (*fetch.Source, error) { return c.source(i, "/"+name, nil), nil })
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// try calls do with the identity that was accepted last, and with the next one if the server refuses it. If it refuses
// both, try returns the error for the one with credentials.
func (c *container) try(do func(*identity) error) error {
	at := int(c.accepted.Load())
	err := do(c.identities[at])
	if next := at + 1; next < len(c.identities) && isRefusal(err) {
		second := do(c.identities[next])
		switch {
		case second == nil, errors.Is(second, fs.ErrNotExist) && !isRefusal(second):
			c.accepted.Store(int32(next))
			return second
		case c.identities[at].kind == anonymous:
			err = second
		}
	}
	return c.explainHost(err)
}

// source returns the source for a path and a query below the container.
func (c *container) source(i *identity, path string, query url.Values) *fetch.Source {
	u := *c.endpoint
	u.Path += "/" + c.name + path
	u.RawPath = escape(u.Path)
	// Signatures and Azure itself do not know "+" for a space.
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return &fetch.Source{URL: &u, Access: c.access(i), Explain: func(a *fetch.Answer) *fetch.Error {
		return c.explain(i, a)
	}, Learn: notFolder}
}

// access adds what Azure needs to requests to the account, and leaves requests to other servers unchanged.
func (c *container) access(i *identity) fetch.Access {
	return func(r *http.Request) error {
		if fetch.Origin(r.URL) != fetch.Origin(c.endpoint) {
			return nil
		}
		r.Header.Set("X-Ms-Version", apiVersion)
		maps.Copy(r.Header, c.header)
		return i.access(r)
	}
}

// notFolder checks that an object is not a folder. Accounts with a hierarchical namespace have blobs for folders, and
// Hadoop writes them to other accounts.
func notFolder(a *fetch.Answer, _ *fetch.Facts) error {
	if a.Header.Get("X-Ms-Resource-Type") == "directory" || a.Header.Get("X-Ms-Meta-Hdi_isfolder") == "true" {
		e := a.Errorf("")
		e.Err = fetch.Reason(fs.ErrNotExist, "it is a folder")
		return e
	}
	return nil
}

// checkName returns an error for names that Azure would take for others: to it, a backslash is a slash.
func checkName(name string) error {
	if strings.ContainsRune(name, '\\') {
		return fmt.Errorf("object name %q: a backslash is not allowed in Azure: %w", name, fs.ErrInvalid)
	}
	return store.CheckName(name)
}

// escape escapes all characters of a path except slashes and the unreserved characters of RFC 3986, because the
// signature covers the escaped path.
func escape(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(path), "+", "%20"), "%2F", "/")
}

// explainHost turns the error for an unknown host into one about the account: each account has a host.
func (c *container) explainHost(err error) error {
	var e *fetch.Error
	var dns *net.DNSError
	if !errors.As(err, &e) || !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != c.endpoint.Hostname() {
		return err
	}
	text := fmt.Sprintf("there is no storage account %q, or the network is down; want az://account/container/path",
		c.account.name)
	if c.other != "" {
		text += fmt.Sprintf("; did you mean az://%s/%s?", c.other, c.ref.Root)
	}
	explained := *e
	explained.Err = fetch.Reason(e.Err, text)
	return &explained
}
