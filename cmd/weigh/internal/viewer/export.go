// Pages without a server.

package viewer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
)

// Bounds of what an exported page has of values.
const (
	exportedTensors = 24 // with statistics
	exportedNodes   = 64
	exportedLocal   = 1 << 30 // bytes that are read for them
	exportedRemote  = 64 << 20
)

// Export writes one page that needs no server. It has the overview, the tree of names, the first rows and findings of
// each target, and statistics of some tensors.
func (v *Viewer) Export(ctx context.Context, w io.Writer) error {
	v.exporting = true
	answers := make(map[string]json.RawMessage)
	for _, url := range v.exported() {
		answer, err := v.ask(ctx, url)
		if err != nil {
			return err
		}
		if answer != nil {
			answers[url] = answer
		}
	}
	text, err := json.Marshal(map[string]any{"answers": answers}) // which escapes "<"
	if err != nil {
		return err
	}
	return v.assets.Inline(w, text)
}

// exported returns the requests whose answers an exported page has.
func (v *Viewer) exported() []string {
	urls := []string{"/api/session"}
	for _, o := range v.targets {
		for _, format := range []string{"info?t=%d", "metadata?t=%d", "check?t=%d", "facets?t=%d",
			"rows?limit=500&offset=0&t=%d", "rows?fold=1&limit=500&offset=0&t=%d", "layers?t=%d"} {
			urls = append(urls, "/api/"+fmt.Sprintf(format, o.t))
		}
		for _, path := range o.exportedPaths() {
			for _, format := range []string{"depth=6&fold=1%s&sort=bytes&t=%d", "depth=2&limit=500%s&t=%d",
				"depth=2&fold=1&limit=500%s&t=%d"} {
				urls = append(urls, "/api/tree?"+fmt.Sprintf(format, path, o.t))
			}
		}
		left := int64(exportedLocal)
		if o.remote {
			left = exportedRemote
		}
		for _, id := range o.notable(&left) {
			as := ""
			if len(o.views(id)) > 1 {
				as = "as=" + asWeight + "&"
			}
			urls = append(urls, fmt.Sprintf("/api/tensor?id=%d&t=%d", id, o.t),
				fmt.Sprintf("/api/stats?%sbins=64&id=%d&t=%d", as, id, o.t))
		}
		var bytes int64
		for _, k := range o.kinds() {
			bytes += k.bytes
		}
		if bytes > 0 && bytes <= left {
			urls = append(urls, fmt.Sprintf("/api/series?t=%d", o.t))
		}
	}
	if len(v.targets) > 1 {
		urls = append(urls, "/api/diff?a=0&b=1&headers=1&limit=1", "/api/diff?a=0&b=1&headers=1&limit=200&offset=0")
	}
	return urls
}

// exportedPaths returns the parameters of the nodes of the tree that can be opened: the first of each fold of equal
// ones.
func (o *opened) exportedPaths() []string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	paths := []string{""} // the root
	named, rows := o.named(&filter{file: -1, most: -1})
	g := &grower{o: o, opts: listing.TreeOptions{Fold: true}, named: named, limit: usualNodes, left: mostNodes}
	level := []*node{g.node(listing.Sum(rows))}
	for len(level) > 0 && len(paths) < exportedNodes {
		n := level[0]
		level = level[1:]
		g.children(n)
		for _, child := range n.Children {
			if child.ID == nil && child.Path != nil && strings.Trim(*child.Path, plain) == "" {
				paths = append(paths, "&path="+*child.Path)
				level = append(level, child)
			}
		}
	}
	return cut(paths, 0, exportedNodes)
}

// notable returns the largest tensors, one of each fold of equal layers, as far as they may be read.
func (o *opened) notable(left *int64) (ids []int) {
	s := o.selection(&filter{file: -1, most: -1, describe: "all"})
	rows := make([]listing.Row, len(s.ids))
	for i, id := range s.ids {
		rows[i] = o.row(int(id))
	}
	lines := listing.Fold(rows)
	for _, line := range lines {
		ids = append(ids, int(s.ids[line.First()]))
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(o.row(b).BytesOf(), o.row(a).BytesOf()) })
	ids = slices.DeleteFunc(ids, func(id int) bool {
		size := int64(o.row(id).BytesOf())
		if size < 0 || size > *left {
			return true
		}
		*left -= size
		return false
	})
	return cut(ids, 0, exportedTensors)
}

// ask returns the answer to a request; nil if there is none, such as for a tensor that cannot be read.
func (v *Viewer) ask(ctx context.Context, url string) (json.RawMessage, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	w := &recorder{header: make(http.Header)}
	v.ServeHTTP(w, r)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if w.failed {
		return nil, nil
	}
	return bytes.TrimSpace(w.body.Bytes()), nil
}

// A recorder keeps an answer.
type recorder struct {
	header http.Header
	body   bytes.Buffer
	failed bool
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) { w.failed = status != http.StatusOK }
