// Listing a tree of files in the order of their names, without recursion.

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"unicode/utf8"
)

// List keeps a stack of the directories that it is in, as a recursion would: how
// deep they are nested is up to whoever made them. Of each it holds what is
// still to be listed, so that memory is bounded by the largest directories of
// one path, not by the tree.
func (t *tree) List(ctx context.Context, folder string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{tree: t, ctx: ctx}
		if folder == "" {
			folder = "."
		} else if err := CheckName(folder); err != nil {
			yield(Entry{}, err)
			return
		} else if ctx.Err() == nil && !t.hasFolder(folder) {
			return
		}
		w.enter(item{name: folder}) // an error of this is an item like others
		for len(w.open) > 0 {
			if ctx.Err() != nil {
				yield(Entry{}, fmt.Errorf("listing %q: %w", t.path("."), context.Cause(ctx)))
				return
			}
			it, ok := w.next()
			switch {
			case !ok:
				w.open = w.open[:len(w.open)-1]
			case it.err != nil:
				if !yield(Entry{Name: it.name}, it.err) {
					return
				}
			case it.dir:
				w.enter(it)
			default:
				if !yield(Entry{Name: it.name, Size: it.size}, nil) {
					return
				}
			}
		}
	}
}

// hasFolder says whether there is a folder of that name, or something that could
// not be looked at, of which listing it tells more.
func (t *tree) hasFolder(name string) bool {
	info, err := fs.Stat(t.fsys, name)
	if err != nil {
		return !errors.Is(t.missing(name, err), fs.ErrNotExist)
	}
	return info.IsDir()
}

// An item is what a directory has to list: a file, a directory to enter, or an
// error.
type item struct {
	name string // from the root of the tree
	size int64
	dir  bool
	link bool // to a directory
	err  error
}

// key is what items of a directory are sorted by. What is in a directory has a
// slash after its name, so "a.txt" comes before "a/x".
func (it item) key() string {
	if it.dir {
		return it.name + "/"
	}
	return it.name
}

// A level is a directory that is being listed.
type level struct {
	info   fs.FileInfo
	linked bool // it was reached by a link, or is in one that was
	items  []item
}

// A walk is a listing in progress.
type walk struct {
	*tree
	ctx  context.Context
	open []level // from the root to where the walk is

	// The directories that were listed by links. Only os.SameFile can tell whether
	// two are one, and it takes two: by their times most need not be compared.
	linked map[int64][]fs.FileInfo
}

// next takes the next item of the innermost directory.
func (w *walk) next() (it item, ok bool) {
	top := &w.open[len(w.open)-1]
	if len(top.items) == 0 {
		return item{}, false
	}
	it, top.items = top.items[0], top.items[1:]
	return it, true
}

// enter reads a directory. If that fails, what it could be read of is listed
// all the same, after the error.
func (w *walk) enter(dir item) {
	// By Stat and not from its parent's entries: it is what a link leads to that
	// follow has to compare.
	info, err := fs.Stat(w.fsys, dir.name)
	linked := dir.link || len(w.open) > 0 && w.open[len(w.open)-1].linked
	if err == nil && linked && !w.follow(info) {
		return
	}
	l := level{info: info, linked: linked}
	if err == nil {
		var entries []fs.DirEntry
		entries, err = fs.ReadDir(w.fsys, dir.name)
		l.items = w.items(dir.name, entries)
	}
	if err != nil {
		// The error of the root has no name, and ends the listing with it.
		name := dir.name
		if name == "." {
			name, l.items = "", nil
		}
		l.items = slices.Insert(l.items, 0, item{name: name, err: err})
	}
	w.open = append(w.open, l)
}

// follow reports whether to enter a directory by a link, or one below such a
// directory. That is done once for each, and never for one that is being listed:
// so every loop ends, and links do not multiply. However many there are, a
// listing reads each directory twice at most: by its own name, and by a link.
func (w *walk) follow(dir fs.FileInfo) bool {
	// False for one and the same file: it is not known how to compare these.
	if !os.SameFile(dir, dir) {
		return false
	}
	for _, l := range w.open {
		if os.SameFile(l.info, dir) {
			return false
		}
	}
	at := dir.ModTime().UnixNano()
	for _, seen := range w.linked[at] {
		if os.SameFile(seen, dir) {
			return false
		}
	}
	if w.linked == nil {
		w.linked = make(map[int64][]fs.FileInfo)
	}
	w.linked[at] = append(w.linked[at], dir)
	return true
}

// items returns what there is to list of entries, in order. It asks for the
// kind of every one first: where a link belongs depends on what it leads to.
func (w *walk) items(dir string, entries []fs.DirEntry) []item {
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		if w.ctx.Err() != nil {
			break // List reports it
		}
		items = append(items, w.item(path.Join(dir, e.Name()), e))
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.key(), b.key()) })
	return items
}

// item returns what there is to list of e: an error if it is neither a file nor a
// directory, nor leads to one.
func (w *walk) item(name string, e fs.DirEntry) item {
	it := item{name: name}
	if !utf8.ValidString(name) {
		it.err = fmt.Errorf("file name %q is not UTF-8: %w", w.path(name), fs.ErrInvalid)
		return it
	}
	if e.IsDir() {
		it.dir = true
		return it
	}
	// Windows has more kinds of links than fs.ModeSymlink; whatever is irregular
	// may be one.
	info, err := e.Info()
	if err == nil && !info.Mode().IsRegular() {
		it.link = true // if it is none, it leads to itself
		info, err = fs.Stat(w.fsys, name)
	}
	switch {
	case err != nil:
		it.err = err // a link to nowhere, or a file that is gone meanwhile
		return it
	case info.IsDir():
		it.dir = true
		return it
	}
	it.size, it.err = info.Size(), w.checkKind(name, info)
	return it
}
