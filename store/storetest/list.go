// Laws of listing: everything, once, in order, and no more once ctx is done.

//lint:file-ignore ST1005 the errors begin with the method that they are about

package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/weightools/safetensors/store"
)

// listsEverything lists twice: a listing must not use the store up.
func listsEverything(ctx context.Context, s store.Store, files map[string][]byte) error {
	for range 2 {
		want := names(files)
		var last string
		for e, err := range s.(store.Lister).List(ctx) {
			switch {
			case err != nil:
				return fmt.Errorf("List: error of %q: %w", e.Name, err)
			case len(want) == 0:
				return fmt.Errorf("List: %q is one too many, after %q", e.Name, last)
			case e.Name != want[0]:
				return fmt.Errorf("List: %q after %q; want %q, in ascending order of bytes", e.Name, last, want[0])
			case e.Size != int64(len(files[e.Name])):
				return fmt.Errorf("List: size of %q is %d; want %d", e.Name, e.Size, len(files[e.Name]))
			}
			last, want = e.Name, want[1:]
		}
		if len(want) > 0 {
			return fmt.Errorf("List: %q and %d others are missing", want[0], len(want)-1)
		}
	}
	return nil
}

// listStopped leaves a listing after each number of entries. One that yields on
// after that panics, by the rules of range.
func listStopped(ctx context.Context, s store.Store, files map[string][]byte) error {
	for stop := range len(files) {
		n := 0
		for _, err := range s.(store.Lister).List(ctx) {
			if err != nil {
				return err
			}
			if n++; n > stop {
				break
			}
		}
	}
	return nil
}

func listCancelled(ctx context.Context, s store.Store, files map[string][]byte) error {
	reason := errors.New("the reason for the cancellation")
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(reason)
	return endsWith(ctx, s, reason, func(store.Entry) {})
}

// listCancelledMidway cancels after the first entry. Some more may follow, of
// those that were fetched together with it.
func listCancelledMidway(ctx context.Context, s store.Store, files map[string][]byte) error {
	reason := errors.New("the reason for the cancellation")
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return endsWith(ctx, s, reason, func(store.Entry) { cancel(reason) })
}

// endsWith lists, and returns an error unless the listing ends with reason, as
// an error without a name.
func endsWith(ctx context.Context, s store.Store, reason error, each func(store.Entry)) error {
	ended := false
	for e, err := range s.(store.Lister).List(ctx) {
		switch {
		case ended:
			return fmt.Errorf("List went on to %q, %v after the context's cause", e.Name, err)
		case err == nil:
			each(e)
		case e.Name != "":
			return fmt.Errorf("List: error of %q: %w", e.Name, err)
		case !errors.Is(err, reason):
			return fmt.Errorf("List: %q does not wrap the context's cause", err)
		default:
			ended = true
		}
	}
	if !ended {
		return errors.New("List ended without an error, though its context was done")
	}
	return nil
}
