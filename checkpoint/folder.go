// A folder with weights, and the places in it.

package checkpoint

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// A folder is a place to look for sets. It keeps what it finds out: opening and judging it give
// the same sets, and each header is read once.
type folder struct {
	from   store.Store
	opts   *Options
	shards *shard.Options
	path   string // "" for the root of the store

	listed   bool              // whether the store could list files
	places   map[string]*place // by path, including the folder itself
	parts    map[string]bool   // what a model_index.json names; nil if there is none
	modules  map[string]bool   // the folders that a modules.json names; nil if there is none
	foreign  []string          // files of other formats, by their names
	declared []string          // indexes of shards of Options.Formats
	adopted  bool              // the places have files of other formats, because there are no safetensors files
	problems []error           // errors of listing

	turn    shard.Turn // to sort
	claimed map[string]bool
	sorted  []*Set // all sets, once they are known

	known shard.Known // of the shards

	mu       sync.Mutex
	byNumber map[naming.Numbering][]naming.Number // of the listed weights; nil until it is needed
}

// A place is the files directly in one folder.
type place struct {
	path    string
	indexes []string
	weights []string

	candidates *candidates // nil until they are known
}

func (f *folder) place(path string) *place {
	p, ok := f.places[path]
	if !ok {
		p = &place{path: path}
		f.places[path] = p
	}
	return p
}

// inOrder returns the places: first the folder itself, then the others by path. An index is
// therefore read before the folders below, which may have its shards.
func (f *folder) inOrder() []*place {
	var places []*place
	for _, p := range f.places {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b *place) int {
		return cmp.Or(boolOrder(a.path != f.path, b.path != f.path), cmp.Compare(a.path, b.path))
	})
	return places
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// numbers returns the numbers of the listed weights. Their names are parsed once.
func (f *folder) numbers() map[naming.Numbering][]naming.Number {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byNumber == nil {
		f.byNumber = make(map[naming.Numbering][]naming.Number)
		for _, p := range f.places {
			for _, path := range p.weights {
				if n, number, ok := naming.Numbered(path); ok {
					f.byNumber[n] = append(f.byNumber[n], number)
				}
			}
		}
	}
	return f.byNumber
}

// isPart reports whether model_index.json or modules.json names the place.
func (f *folder) isPart(place string) bool {
	name, below := naming.CutFolder(place, f.path)
	first, _, _ := strings.Cut(name, "/")
	return below && (f.parts[first] || f.modules[first])
}

// readText reads a file that is not larger than an index may be.
func (f *folder) readText(ctx context.Context, path string) ([]byte, error) {
	return shard.ReadText(ctx, f.from, path, f.opts.MaxIndexSize)
}

// Candidates are the sets that names and indexes make of one place, before any header is read.
// Each list is ordered by rank.
type candidates struct {
	live  []*Set // with an index and some of its shards
	stale []*Set // with an index whose shards are all missing, or that is truncated
	loose []*Set // without an index: numbered files, or one file

	training []*Set // the state of an optimizer, beside others
}
