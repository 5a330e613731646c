// Listing the blobs of a container.

package azure

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

const (
	maxEntries = 2_000_000 // blobs of a listing, which is sorted in memory
	maxPage    = 5_000     // blobs of a page, by Azure's documentation
)

// List implements [store.Lister].
func (c *container) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return c.pool.List(ctx, folder, fetch.Entries(ctx, c.ref, folder, checkName, func() ([]store.Entry, error) {
		return c.entries(ctx, folder)
	}))
}

// entries requests all pages of the blobs in a folder. It sorts them by name, because accounts with a hierarchical
// namespace list "a/b" before "a.b".
func (c *container) entries(ctx context.Context, folder string) (entries []store.Entry, err error) {
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	for marker := ""; ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		page, err := c.page(ctx, prefix, marker)
		if err != nil {
			return nil, err
		}
		for _, b := range page.blobs {
			// Some programs create empty objects with such names to represent folders.
			if b.Type != "directory" && (b.Size > 0 || !strings.HasSuffix(b.Name.Text, "/")) {
				entries = append(entries, store.Entry{Name: b.Name.Text, Size: b.Size})
			}
		}
		switch page.nextMarker {
		case "":
			slices.SortFunc(entries, func(a, b store.Entry) int { return strings.Compare(a.Name, b.Name) })
			return withoutFolders(entries), nil
		case marker:
			return nil, fetch.ErrNoNextPage
		}
		if len(entries) > maxEntries {
			return nil, fmt.Errorf("there are more than %d blobs: name a folder", maxEntries)
		}
		marker = page.nextMarker
	}
}

// withoutFolders removes empty blobs that have the names of folders. Hadoop writes them to accounts without folders.
func withoutFolders(entries []store.Entry) []store.Entry {
	folders := make(map[string]bool) // of the empty blobs, those that are folders
	for _, e := range entries {
		if e.Size == 0 {
			folders[e.Name] = false
		}
	}
	if len(folders) == 0 {
		return entries
	}
	for _, e := range entries {
		for i, c := range e.Name {
			if _, ok := folders[e.Name[:i]]; ok && c == '/' {
				folders[e.Name[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(entries, func(e store.Entry) bool { return e.Size == 0 && folders[e.Name] })
}

// A listing is a page of the blobs in a container.
type listing struct {
	blobs      []blob
	nextMarker string
}

// A blob is an entry of a listing.
type blob struct {
	Name struct {
		Encoded bool   `xml:",attr"` // XML does not have all characters
		Text    string `xml:",chardata"`
	}
	Size int64  `xml:"Properties>Content-Length"`
	Type string `xml:"Properties>ResourceType"` // "file", "directory" or ""
}

// page fetches one page.
func (c *container) page(ctx context.Context, prefix, marker string) (page *listing, err error) {
	query := url.Values{"restype": {"container"}, "comp": {"list"}}
	if prefix != "" {
		query.Set("prefix", prefix)
	}
	if marker != "" {
		query.Set("marker", marker)
	}
	err = c.try(func(i *identity) error {
		s := c.source(i, "", query)
		text, _, err := c.pool.Shared.Document(ctx, s)
		if err != nil {
			return err
		}
		if page, err = parseListing(text); err != nil {
			return fetch.BadDocument(s.URL, fmt.Errorf("the listing is not valid for Azure: %w", err))
		}
		return nil
	})
	return page, err
}

// parseListing parses a page. It keeps nothing but blobs, because the document may be anything.
func parseListing(text []byte) (*listing, error) {
	page, valid := new(listing), false
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		switch {
		case err == io.EOF && valid:
			return page, nil
		case err == io.EOF:
			return nil, errors.New("it has no EnumerationResults")
		case err != nil:
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "EnumerationResults":
			valid = true
		case "Blobs":
		case "Blob":
			err = page.add(d, &start)
		case "NextMarker":
			err = d.DecodeElement(&page.nextMarker, &start)
		default:
			err = d.Skip()
		}
		if err != nil {
			return nil, err
		}
	}
}

// add parses an entry of a page.
func (p *listing) add(d *xml.Decoder, start *xml.StartElement) error {
	if len(p.blobs) == maxPage {
		return fmt.Errorf("it has more than %d blobs", maxPage)
	}
	var b blob
	if err := d.DecodeElement(&b, start); err != nil {
		return err
	}
	if b.Size < 0 {
		return errors.New("a blob has a negative size")
	}
	if b.Name.Encoded {
		name, err := url.PathUnescape(b.Name.Text)
		if err != nil {
			return err
		}
		b.Name.Text = name
	}
	p.blobs = append(p.blobs, b)
	return nil
}
