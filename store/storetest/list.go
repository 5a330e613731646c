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
		if err := lists(ctx, s, "", files, want); err != nil {
			return err
		}
	}
	return nil
}

// lists returns an error unless a folder holds the wanted names, in their order.
func lists(ctx context.Context, s store.Store, folder string, files map[string][]byte, want []string) error {
	var last string
	for e, err := range s.(store.Lister).List(ctx, folder) {
		switch {
		case err != nil:
			return fmt.Errorf("List(%q): error of %q: %w", folder, e.Name, err)
		case len(want) == 0:
			return fmt.Errorf("List(%q): %q is one too many, after %q", folder, e.Name, last)
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

// listsFolders lists folders, names that only begin like one, objects, and what is
// not there.
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

// listStopped leaves a listing after each number of entries. One that yields on
// after that panics, by the rules of range.
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
	for e, err := range s.(store.Lister).List(ctx, "") {
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
