// Package viewer serves the pages of weigh view, which show models in a browser. Its responses have the same numbers as
// the commands info, check, stats, cat, layout and diff, and use their JSON objects where they exist.
//
// A viewer keeps only the opened targets and caches in memory: 8 orders of tensors and 64 open files for each target,
// and 24 MiB of tiles and 32 MiB of overviews of tensors in all.
package viewer

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/keep"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/raster"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/site"
)

// Options are the options of a viewer.
type Options struct {
	Lenient bool
	Page    fs.FS // the files of the page
	Version string
}

// A Viewer answers the requests of the page.
type Viewer struct {
	sess    *cli.Session
	opts    Options
	targets []*opened
	mux     *http.ServeMux
	assets  site.Assets

	tiles     keep.LRU[string, *raster.Tile]
	overviews keep.LRU[string, *raster.Overview]
	drawing   sync.Mutex
	diffs     keep.LRU[string, *compare.Diff]
	comparing sync.Mutex

	exporting bool // answers are for a page without a server
}

// Open opens the targets and reads their headers.
func Open(ctx context.Context, sess *cli.Session, names []target.Name, opts Options) (*Viewer, error) {
	v := &Viewer{sess: sess, opts: opts}
	v.tiles.Most, v.overviews.Most, v.diffs.Most = mostTiles, mostOverviews, mostDiffs
	var err error
	if v.assets, err = site.NewAssets(opts.Page); err != nil {
		return nil, err
	}
	for i, name := range names {
		o, err := open(ctx, sess, i, name, opts.Lenient)
		if err != nil {
			return nil, errors.Join(err, v.Close())
		}
		v.targets = append(v.targets, o)
	}
	v.mux = http.NewServeMux()
	v.route()
	for _, o := range v.targets { // before the page asks
		go func() {
			_, _ = o.counted()
			o.packed()
		}()
	}
	return v, nil
}

// Close closes all files.
func (v *Viewer) Close() error {
	for _, o := range v.targets {
		o.close()
	}
	return nil
}

// HeaderBytes returns the size of all headers.
func (v *Viewer) HeaderBytes() (n int64) {
	for _, o := range v.targets {
		for i := range o.files() {
			if h := o.files()[i].Header; h != nil {
				n += h.Size
			}
		}
	}
	return n
}

// ServeHTTP implements http.Handler. A [Guard] has to protect it.
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.mux.ServeHTTP(w, r) }

// route registers the endpoints.
func (v *Viewer) route() {
	for path, do := range map[string]func(*reply.Request) (reply.Answer, error){
		"session":  v.session,
		"cost":     v.cost,
		"info":     v.info,
		"metadata": v.metadata,
		"tree":     v.tree,
		"explain":  v.explain,
		"rows":     v.table,
		"rows.csv": v.sheet,
		"facets":   v.facetsOf,
		"name":     v.fullName,
		"tensor":   v.tensor,
		"plane":    v.plane,
		"tile":     v.tile,
		"slice":    v.slice,
		"layers":   v.layers,
		"layout":   v.layout,
		"bytemap":  v.bytemap,
		"hex":      v.hex,
	} {
		v.mux.HandleFunc("/api/"+path, reply.Quick(do))
	}
	for path, do := range map[string]func(*reply.Request, *reply.Job) (reply.Answer, error){
		"check":    v.check,
		"norms":    v.norms,
		"stats":    v.stats,
		"extremes": v.extremes,
		"series":   v.series,
		"diff":     v.diff,
	} {
		v.mux.HandleFunc("/api/"+path, reply.Slow(do))
	}
	v.mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		reply.Fail(w, http.StatusNotFound, "no endpoint "+reply.Quoted(r.URL.Path))
	})
	v.mux.HandleFunc("/", v.assets.ServeHTTP)
}

// target returns the target that a parameter names, the first one by default.
func (v *Viewer) target(r *reply.Request, parameter string) (*opened, error) {
	i, err := r.Number(parameter, 0, int64(len(v.targets))-1, 0)
	if err != nil {
		return nil, err
	}
	return v.targets[i], nil
}
