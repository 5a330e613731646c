// Listings of stores that know all of their objects.

package fetch

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/weightools/safetensors/store"
)

// Entries implements [store.Lister] for a store that knows all of its objects, which the function returns in the order
// of their names.
func Entries(ctx context.Context, ref store.Ref, folder string,
	all func() ([]store.Entry, error)) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if folder != "" {
			if err := store.CheckName(folder); err != nil {
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
			if strings.HasPrefix(e.Name, folder) && !yield(e, store.CheckName(e.Name)) {
				return
			}
		}
	}
}
