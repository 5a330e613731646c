// The store of the objects in a bucket.

package bucket

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A bucket is the store of a bucket. Google Cloud Storage has the interface of S3 as well;
// only the authentication differs.
type bucket struct {
	pool      fetch.Pool
	ref       store.Ref       // its path has the version that its revision says, if any
	version   string          // the name of the query parameter for versions
	base      func() *url.URL // of the bucket, as far as is known
	access    fetch.Access
	checksums *fetch.Checksums         // may be nil
	moved     func(region string) bool // takes the region of a refusal, and reports whether base has changed; may be nil
	login     string                   // advice for anonymous users
	known     func() bool              // reports whether there are credentials
}

// Open implements [store.Store].
func (b *bucket) Open(ctx context.Context, name string) (store.Object, error) {
	return b.OpenHead(ctx, name, 0)
}

// OpenHead implements [store.HeadOpener].
func (b *bucket) OpenHead(ctx context.Context, name string, n int64) (store.Object, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	find := func() (*fetch.Source, error) {
		if b.ref.Revision == "" || name != b.ref.Path {
			return b.source("/"+name, ""), nil
		}
		s := b.source("/"+name, url.Values{b.version: {b.ref.Revision}}.Encode())
		s.Lasting = true
		return s, nil
	}
	o, err := b.pool.Open(ctx, name, n, find)
	if errors.Is(err, errMoved) {
		o, err = b.pool.Open(ctx, name, n, find)
	}
	return o, err
}

// source returns the source for a path and a query below the bucket.
func (b *bucket) source(path, query string) *fetch.Source {
	u := b.base()
	u.Path += path
	u.RawPath = s3utils.EncodePath(u.Path)
	u.RawQuery = query
	return &fetch.Source{URL: u, Access: b.access, Explain: b.explain, Checksums: b.checksums}
}

// A listing is a page of the objects in a bucket.
type listing struct {
	Contents []struct {
		Key  string
		Size int64
	}
	IsTruncated           bool
	NextContinuationToken string
	EncodingType          string
}

// List implements [store.Lister].
func (b *bucket) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return b.pool.List(ctx, folder, b.objects(ctx, folder))
}

// objects requests pages of a thousand objects, which S3 sorts by the bytes of their names.
func (b *bucket) objects(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
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
				// Some programs create empty objects with such names to represent folders.
				if o.Size == 0 && strings.HasSuffix(o.Key, "/") {
					continue
				}
				if !yield(store.Entry{Name: o.Key, Size: o.Size}, store.CheckName(o.Key)) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			if page.NextContinuationToken == "" || page.NextContinuationToken == token {
				yield(store.Entry{}, fmt.Errorf("listing %s: %w", b.ref, fetch.ErrNoNextPage))
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
	// Signatures require %20 for a space.
	encoded := strings.ReplaceAll(query.Encode(), "+", "%20")
	s := b.source("/", encoded)
	text, _, err := b.pool.Shared.Document(ctx, s)
	if errors.Is(err, errMoved) {
		s = b.source("/", encoded)
		text, _, err = b.pool.Shared.Document(ctx, s)
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
		return nil, fetch.BadDocument(s.URL, fmt.Errorf("the listing is not valid for S3: %w", err))
	}
	return page, nil
}

// isMadeBy reports whether Linux says that this machine is of a certain maker.
func isMadeBy(maker string) bool {
	text, err := os.ReadFile("/sys/class/dmi/id/sys_vendor")
	return err == nil && strings.TrimSpace(string(text)) == maker
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
