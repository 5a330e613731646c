// Listings of stores that know all of their objects.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/weightools/safetensors/store"
)

// ErrNoNextPage means that a listing is incomplete, and the server does not say where it continues.
var ErrNoNextPage = errors.New("the listing is incomplete: the server does not say where the next page begins")

// Entries implements [store.Lister] for a store with a listing of all objects, or at least of those in the folder. The
// function all returns the listing in the order of names, and check returns an error for an invalid name.
func Entries(ctx context.Context, ref store.Ref, folder string, check func(name string) error,
	all func() ([]store.Entry, error)) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if folder != "" {
			if err := check(folder); err != nil {
				yield(store.Entry{}, err)
				return
			}
			folder += "/"
		}
		entries, err := all()
		if err != nil {
			yield(store.Entry{}, fmt.Errorf("listing %s: %w", ref, err))
			return
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				yield(store.Entry{}, fmt.Errorf("listing %s: %w", ref, context.Cause(ctx)))
				return
			}
			if strings.HasPrefix(e.Name, folder) && !yield(e, check(e.Name)) {
				return
			}
		}
	}
}
