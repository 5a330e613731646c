// Buckets: the objects of S3, of what speaks its language, and of Google Cloud Storage.

package remote

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/weightools/safetensors/store"
)

// A bucket is the store of a bucket's objects. Reading and listing go by the interface of
// S3, which Google Cloud Storage has as well; only how requests are signed differs.
type bucket struct {
	pool
	ref  store.Ref       // without a path
	base func() *url.URL // of the bucket, as far as is known now
	access
	moved func(*answer) bool // whether the bucket is elsewhere, and base now says where
	login string             // what to do for those who show no credentials
	known func() bool        // whether the caller shows any
}

// errMoved is that of a request which has to be made again, elsewhere.
var errMoved = errors.New("the bucket is in another region than was asked")

// Open finds an object: see [store.Store].
func (b *bucket) Open(ctx context.Context, name string) (store.Object, error) {
	return b.OpenHead(ctx, name, 0)
}

// OpenHead is Open with the first bytes: see [store.OpenHead].
func (b *bucket) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	find := func() (*source, error) { return b.source("/"+name, ""), nil }
	o, err := b.open(ctx, name, n, find)
	if errors.Is(err, errMoved) {
		o, err = b.open(ctx, name, n, find)
	}
	return o, err
}

// source returns where to ask for what is at a path below the bucket.
func (b *bucket) source(path, query string) *source {
	u := b.base()
	u.Path += path
	u.RawPath = s3utils.EncodePath(u.Path)
	u.RawQuery = query
	return &source{url: u, access: b.access, explain: b.explain}
}

// explain makes words of a refusal.
func (b *bucket) explain(a *answer) *Error {
	e := a.refusal()
	switch {
	case b.moved != nil && b.moved(a):
		e.Err = errMoved
	case !errors.Is(e, fs.ErrPermission):
	case b.known():
		e.Err = &saidError{"the credentials do not allow it, or there is no such bucket", fs.ErrPermission}
	default:
		e.Err = &saidError{"it is not for everybody, or there is no such bucket: " + b.login, fs.ErrPermission}
	}
	return e
}

// A listing is a page of what a bucket holds.
type listing struct {
	Contents []struct {
		Key  string
		Size int64
	}
	IsTruncated           bool
	NextContinuationToken string
	EncodingType          string
}

// List lists the objects below a prefix, a page of a thousand at a time: see
// [store.Lister]. S3 lists in the order of bytes.
func (b *bucket) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if folder != "" {
			if err := store.CheckName(folder); err != nil {
				yield(store.Entry{}, err)
				return
			}
			folder += "/"
		}
		for token := ""; ; {
			page, err := b.page(ctx, folder, token)
			if err != nil {
				yield(store.Entry{}, fmt.Errorf("listing %s: %w", b.ref, err))
				return
			}
			for _, o := range page.Contents {
				if ctx.Err() != nil {
					yield(store.Entry{}, fmt.Errorf("listing %s: %w", b.ref, context.Cause(ctx)))
					return
				}
				// Programs that show folders make empty objects of such names.
				if o.Size == 0 && strings.HasSuffix(o.Key, "/") {
					continue
				}
				if !yield(store.Entry{Name: o.Key, Size: o.Size}, store.CheckName(o.Key)) {
					return
				}
			}
			if !page.IsTruncated || page.NextContinuationToken == "" || page.NextContinuationToken == token {
				return
			}
			token = page.NextContinuationToken
		}
	}
}

// page fetches one page.
func (b *bucket) page(ctx context.Context, prefix, token string) (*listing, error) {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}, "encoding-type": {"url"}}
	if token != "" {
		query.Set("continuation-token", token)
	}
	// A space is %20 in what is signed.
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20")
	s := b.source("/", encoded)
	text, _, err := b.parts.client.whole(ctx, s)
	if errors.Is(err, errMoved) {
		s = b.source("/", encoded)
		text, _, err = b.parts.client.whole(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	page := new(listing)
	err = xml.Unmarshal(text, page)
	for i := range page.Contents {
		if o := &page.Contents[i]; err == nil && page.EncodingType == "url" {
			o.Key, err = url.QueryUnescape(o.Key)
		}
	}
	if err != nil {
		return nil, &Error{Method: http.MethodGet, URL: shown(s.url), Status: http.StatusOK, Err: fmt.Errorf("the listing is not what S3 gives: %w", err)}
	}
	return page, nil
}
