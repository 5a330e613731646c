// Listings: each is requested once, and what it lacks is not requested at all.

package fetch

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors/store"
)

// maxListed is the maximum number of entries of a listing that is remembered.
const maxListed = 200_000

// Listings are the complete listings of folders of one store.
type listings struct {
	mu       sync.Mutex
	byFolder map[string][]listing // each in the order of names
}

// A listing is an entry of a listing, or the error about one.
type listing struct {
	store.Entry
	err error
}

// List yields the objects in a folder as list does, which requests them. If a listing of the folder, or of a
// folder above it, was complete, List yields its entries again without a request.
func (p *Pool) List(ctx context.Context, folder string,
	list iter.Seq2[store.Entry, error]) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if known, ok := p.listings.find(folder); ok {
			p.Shared.Hit()
			for _, e := range known {
				if ctx.Err() != nil {
					yield(store.Entry{}, fmt.Errorf("listing %q: %w", folder, context.Cause(ctx)))
					return
				}
				if !yield(e.Entry, e.err) {
					return
				}
			}
			return
		}
		var seen []listing
		for e, err := range list {
			if !yield(e, err) || err != nil && e.Name == "" {
				return // it is incomplete
			}
			if len(seen) <= maxListed {
				seen = append(seen, listing{e, err})
			}
		}
		if len(seen) <= maxListed {
			p.listings.add(folder, seen)
		}
	}
}

func (l *listings) add(folder string, entries []listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byFolder == nil {
		l.byFolder = make(map[string][]listing)
	}
	l.byFolder[folder] = entries
}

// find returns the entries of a folder, if it or a folder above it was listed.
func (l *listings) find(folder string) ([]listing, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for above := folder; ; above = parent(above) {
		if all, ok := l.byFolder[above]; ok {
			if above == folder {
				return all, true
			}
			// "0" is the character after the slash.
			return all[search(all, folder+"/"):search(all, folder+"0")], true
		}
		if above == "" {
			return nil, false
		}
	}
}

// lacks reports whether a folder above the named object was listed without it.
func (l *listings) lacks(name string) bool {
	all, ok := l.find(parent(name))
	i := search(all, name)
	return ok && (i == len(all) || all[i].Name != name)
}

// search returns the index of the first entry whose name is not less than name.
func search(all []listing, name string) int {
	i, _ := slices.BinarySearchFunc(all, name, func(e listing, name string) int { return cmp.Compare(e.Name, name) })
	return i
}

// parent returns the folder of a name, "" for one without a slash.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

// errUnlisted is the error for an object that a listing lacks.
var errUnlisted = Reason(fs.ErrNotExist, "no such file in the listing of its folder")
