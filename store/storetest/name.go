// Checks of opening: existing, missing and invalid names, and contexts.

package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/weightools/safetensors/store"
)

// opensNot returns an error unless opening name fails with want, or with any error if want is
// nil.
func opensNot(ctx context.Context, s store.Store, name string, want error) error {
	o, err := s.Open(ctx, name)
	if err == nil {
		o.Close()
		return fmt.Errorf("Open(%q) succeeded; want an error", name)
	}
	if o != nil {
		return fmt.Errorf("Open(%q) returned both an object and the error %q", name, err)
	}
	if want != nil && !errors.Is(err, want) {
		return fmt.Errorf("Open(%q): %q does not wrap %q", name, err, want)
	}
	return nil
}

func absent(ctx context.Context, s store.Store, files map[string][]byte) error {
	for _, name := range []string{
		"absent", "absent/absent", "a/absent", "b/c/absent",
		small + "x", strings.TrimSuffix(small, "s"), // names must match completely
		small + "/x", empty + "/x", // objects are not folders
		"%61b", "a%2Fx", "a%2ftxt", "%2e%2e", // names are not unescaped
	} {
		if err := opensNot(ctx, s, name, fs.ErrNotExist); err != nil {
			return err
		}
	}
	return nil
}

// invalidNames opens invalid names, even if a file system would find an object under them.
func invalidNames(ctx context.Context, s store.Store, files map[string][]byte) error {
	for _, name := range []string{
		"", ".", "..", "/", "//",
		"/" + small, "//" + small, small + "/", "./" + small,
		"../" + small, "a/../" + small, "a/./x", "a//x", "a/x/", "a/x/.", "a/x/..",
		"../a/x", "a/../../a/x", "/etc/passwd",
	} {
		if err := opensNot(ctx, s, name, fs.ErrInvalid); err != nil {
			return err
		}
	}
	// Names with a backslash or a drive, and those that are not UTF-8, are valid in some stores
	// and invalid in others. They must not lead to another object in any store.
	for _, name := range []string{
		`a\x`, `.\a\x`, `..\` + small, `a\..\` + small, `\` + small, `\\host\share\x`,
		`C:\` + small, "C:/" + small, "C:" + small,
		"\xff", "a/\xff",
	} {
		if err := opensNot(ctx, s, name, nil); err != nil {
			return err
		}
	}
	return nil
}

// folders opens folders, which are not objects.
func folders(ctx context.Context, s store.Store, files map[string][]byte) error {
	for _, name := range []string{"a", "a/y", "b", "b/c/d/e"} {
		if err := opensNot(ctx, s, name, fs.ErrNotExist); err != nil {
			return err
		}
	}
	return nil
}

func cancelledOpen(ctx context.Context, s store.Store, files map[string][]byte) error {
	reason := errors.New("the reason for the cancellation")
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(reason)
	return opensNot(ctx, s, small, reason)
}

// contextOfOpen reads an object after the context it was opened with is done.
func contextOfOpen(ctx context.Context, s store.Store, files map[string][]byte) error {
	opening, cancel := context.WithCancel(ctx)
	o, err := s.Open(opening, small)
	cancel()
	if err != nil {
		return err
	}
	defer o.Close()
	content := files[small]
	if err := checkRead(o.ReaderAt(ctx), content, 0, len(content)); err != nil {
		return fmt.Errorf("after the context of Open is done: %w", err)
	}
	return nil
}

// concurrentOpens opens, reads and closes the same objects concurrently.
func concurrentOpens(ctx context.Context, s store.Store, files map[string][]byte) error {
	return together(func(int) error {
		for _, name := range names(files) {
			err := with(ctx, s, name, func(o store.Object, r io.ReaderAt) error {
				return checkRead(r, files[name], 0, len(files[name]))
			})
			if err != nil {
				return err
			}
		}
		return opensNot(ctx, s, "absent", fs.ErrNotExist)
	})
}
