// The bad stores: one fault each, and the check that must find it.

package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/store"
)

var readFaults = []faultTest{
	{"size is one too many", "Size", fault{
		size: func(n int64) int64 { return n + 1 },
	}},
	{"end without io.EOF", "ReadAt/EveryRange", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			n, err := r.ReadAt(p, off)
			if err == io.EOF {
				err = nil
			}
			return n, err
		},
	}},
	{"end as of io.ReadFull", "ReadAt/EveryRange", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			n, err := r.ReadAt(p, off)
			if err == io.EOF && n > 0 {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		},
	}},
	{"wrapped io.EOF", "ReadAt/PastEnd", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			n, err := r.ReadAt(p, off)
			if err != nil {
				err = fmt.Errorf("reading: %w", err)
			}
			return n, err
		},
	}},
	{"offset overflows", "ReadAt/PastEnd", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			if off+int64(len(p)) < 0 {
				return len(p), nil
			}
			return r.ReadAt(p, off)
		},
	}},
	{"io.EOF before the end", "ReadAt/EveryRange", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			n, err := r.ReadAt(p, off)
			if err == nil {
				err = io.EOF
			}
			return n, err
		},
	}},
	{"reading nothing at the start is the end", "ReadAt/Nothing", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			if len(p) == 0 {
				return 0, io.EOF
			}
			return r.ReadAt(p, off)
		},
	}},
	{"empty object has a byte", "ReadAt/EmptyObject", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) { return len(p), nil },
	}},
	{"zeros past a window", "ReadAt/LargeObject", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			n, err := r.ReadAt(p, off)
			clear(p[min(n, 4<<20):n])
			return n, err
		},
	}},
	{"no more than a window", "ReadAt/Concurrently", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) { return r.ReadAt(p[:min(len(p), 64<<10)], off) },
	}},
	{"negative offset is the end", "ReadAt/NegativeOffset", fault{
		read: func(r io.ReaderAt, p []byte, off int64) (int, error) {
			if off < 0 {
				return 0, io.EOF
			}
			return r.ReadAt(p, off)
		},
	}},
	{"context is forgotten", "ReadAt/Cancelled", fault{
		task: func(context.Context) context.Context { return context.Background() },
	}},
	{"closed twice is an error", "Close/Twice", func() fault {
		closed := false
		return fault{close: func(o store.Object) error {
			if closed {
				return fs.ErrClosed
			}
			closed = true
			return o.Close()
		}}
	}()},
	{"closed and still read", "Close/EndsReads", fault{
		close: func(store.Object) error { return nil },
	}},
}

var openFaults = []faultTest{
	{"absent is another error", "Open/Absent", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			o, err := good.Open(ctx, name)
			if err != nil {
				return nil, errors.New("status 404")
			}
			return o, nil
		},
	}},
	{"names are unescaped", "Open/Absent", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			if plain, err := url.PathUnescape(name); err == nil {
				name = plain
			}
			return good.Open(ctx, name)
		},
	}},
	{"names end at a query", "Open/UncommonNames", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			name, _, _ = strings.Cut(name, "?")
			return good.Open(ctx, name)
		},
	}},
	{"spaces are pluses", "Open/UncommonNames", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			return good.Open(ctx, strings.ReplaceAll(name, "+", " "))
		},
	}},
	{"names are cleaned", "Open/InvalidName", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			return good.Open(ctx, strings.TrimPrefix(path.Clean("/"+name), "/"))
		},
	}},
	{"invalid names are only absent", "Open/InvalidName", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			if store.CheckName(name) != nil {
				return nil, fs.ErrNotExist
			}
			return good.Open(ctx, name)
		},
	}},
	{"backslash is a slash", "Open/InvalidName", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			return good.Open(ctx, strings.ReplaceAll(name, `\`, "/"))
		},
	}},
	{"a folder is an object", "Open/Folder", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			o, err := good.Open(ctx, name)
			if errors.Is(err, fs.ErrNotExist) && name == "a" {
				return good.Open(ctx, empty)
			}
			return o, err
		},
	}},
	{"opened though cancelled", "Open/Cancelled", fault{
		open: func(_ context.Context, good store.Lister, name string) (store.Object, error) {
			return good.Open(context.Background(), name)
		},
	}},
	{"reads end with the context of Open", "Open/ContextIsOfCallAlone", func() fault {
		var opening context.Context
		return fault{
			open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
				opening = ctx
				return good.Open(ctx, name)
			},
			task: func(context.Context) context.Context { return opening },
		}
	}()},
	{"absent is found by one of many", "Open/Concurrently", fault{
		open: func(ctx context.Context, good store.Lister, name string) (store.Object, error) {
			if name == "absent" {
				return good.Open(ctx, small)
			}
			return good.Open(ctx, name)
		},
	}},
}

var listFaults = []faultTest{
	{"folders are not entered", "List/Everything", fault{
		list: edited(func(all []store.Entry) []store.Entry {
			return slices.DeleteFunc(all, func(e store.Entry) bool { return strings.Contains(e.Name, "/") })
		}),
	}},
	{"an object twice", "List/Everything", fault{
		list: edited(func(all []store.Entry) []store.Entry { return append(all, all[len(all)-1]) }),
	}},
	{"in the order of a walk", "List/Everything", fault{
		list: edited(func(all []store.Entry) []store.Entry {
			// Element by element, as fs.WalkDir goes.
			slices.SortFunc(all, func(a, b store.Entry) int {
				return slices.Compare(strings.Split(a.Name, "/"), strings.Split(b.Name, "/"))
			})
			return all
		}),
	}},
	{"all, whatever folder", "List/Folder", fault{
		list: edited(func(all []store.Entry) []store.Entry { return all }),
	}},
	{"names are escaped", "List/UncommonNames", fault{
		list: edited(func(all []store.Entry) []store.Entry {
			for i := range all {
				all[i].Name = (&url.URL{Path: all[i].Name}).EscapedPath()
			}
			return all
		}),
	}},
	{"sizes are not known", "List/Everything", fault{
		list: edited(func(all []store.Entry) []store.Entry {
			for i := range all {
				all[i].Size = 0
			}
			return all
		}),
	}},
	{"nothing is an error", "List/NoObjects", fault{
		list: func(context.Context, store.Lister) iter.Seq2[store.Entry, error] {
			return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, fs.ErrNotExist) }
		},
	}},
	{"error when left", "List/Stopped", fault{
		list: func(ctx context.Context, good store.Lister) iter.Seq2[store.Entry, error] {
			return func(yield func(store.Entry, error) bool) {
				yield(store.Entry{Name: "a"}, errors.New("page 2"))
			}
		},
	}},
	{"cancelled and empty", "List/Cancelled", fault{
		list: edited(func(all []store.Entry) []store.Entry { return nil }),
	}},
	{"not to be cancelled", "List/CancelledMidway", fault{
		list: func(_ context.Context, good store.Lister) iter.Seq2[store.Entry, error] {
			return good.List(context.Background(), "")
		},
	}},
	{"on and on after the cancellation", "List/Cancelled", fault{
		list: func(ctx context.Context, good store.Lister) iter.Seq2[store.Entry, error] {
			return func(yield func(store.Entry, error) bool) {
				for range 2 {
					if !yield(store.Entry{}, context.Cause(ctx)) {
						return
					}
				}
			}
		},
	}},
}

// edited returns a listing of what edit makes of all that a good store lists.
func edited(edit func([]store.Entry) []store.Entry) func(context.Context, store.Lister) iter.Seq2[store.Entry, error] {
	return func(_ context.Context, good store.Lister) iter.Seq2[store.Entry, error] {
		return func(yield func(store.Entry, error) bool) {
			var all []store.Entry
			for e := range good.List(context.Background(), "") {
				all = append(all, e)
			}
			for _, e := range edit(all) {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}
