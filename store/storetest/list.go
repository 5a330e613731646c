// Checks of listing: every object once, in order, and an end when ctx is done.

//lint:file-ignore ST1005 the errors begin with the method that they are about

package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/weightools/safetensors/store"
)

// listsEverything lists twice, because a listing must not change the store.
func listsEverything(ctx context.Context, s store.Store, files map[string][]byte) error {
	for range 2 {
		want := names(files)
		if err := lists(ctx, s, "", files, want); err != nil {
			return err
		}
	}
	return nil
}

// lists returns an error unless listing a folder yields the wanted names in order.
func lists(ctx context.Context, s store.Store, folder string, files map[string][]byte, want []string) error {
	var last string
	for e, err := range s.(store.Lister).List(ctx, folder) {
		switch {
		case err != nil:
			return fmt.Errorf("List(%q): error of %q: %w", folder, e.Name, err)
		case len(want) == 0:
			return fmt.Errorf("List(%q): unexpected %q after %q", folder, e.Name, last)
		case e.Name != want[0]:
			return fmt.Errorf("List(%q): %q after %q; want %q, in ascending order of bytes", folder, e.Name, last, want[0])
		case e.Size != int64(len(files[e.Name])):
			return fmt.Errorf("List(%q): size of %q is %d; want %d", folder, e.Name, e.Size, len(files[e.Name]))
		}
		last, want = e.Name, want[1:]
	}
	if len(want) > 0 {
		return fmt.Errorf("List(%q): %q and %d others are missing", folder, want[0], len(want)-1)
	}
	return nil
}

// listsFolders lists folders, prefixes of names that are not folders, objects, and missing
// folders.
func listsFolders(ctx context.Context, s store.Store, files map[string][]byte) error {
	for folder, want := range map[string][]string{
		"a":           {"a/x", "a/y/z"},
		"a/y":         {"a/y/z"},
		"b/c/d":       {"b/c/d/e/deep"},
		small:         nil,
		"absent":      nil,
		"a/absent":    nil,
		"b/c/d/e/dee": nil,
	} {
		if err := lists(ctx, s, folder, files, want); err != nil {
			return err
		}
	}
	return nil
}

// listStopped breaks out of the listing after each possible number of entries. A listing that
// continues to yield panics.
func listStopped(ctx context.Context, s store.Store, files map[string][]byte) error {
	for stop := range len(files) {
		n := 0
		for _, err := range s.(store.Lister).List(ctx, "") {
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

// listCancelledMidway cancels after the first entry. Entries that were fetched together with
// it may follow.
func listCancelledMidway(ctx context.Context, s store.Store, files map[string][]byte) error {
	reason := errors.New("the reason for the cancellation")
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return endsWith(ctx, s, reason, func(store.Entry) { cancel(reason) })
}

// endsWith returns an error unless the listing ends with reason as an error without a name.
func endsWith(ctx context.Context, s store.Store, reason error, each func(store.Entry)) error {
	ended := false
	for e, err := range s.(store.Lister).List(ctx, "") {
		switch {
		case ended:
			return fmt.Errorf("List continued with %q, %v after returning the context's cause", e.Name, err)
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
		return errors.New("List ended without an error although its context was done")
	}
	return nil
}
