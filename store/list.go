// Listing a tree of files in the order of names, without recursion.

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
)

// List uses a stack of directories instead of recursion, because the nesting depth is
// untrusted. The stack holds the remaining entries of each directory, so memory depends on the
// directories along one path and not on the whole tree.
func (t *tree) List(ctx context.Context, folder string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{tree: t, ctx: ctx}
		if folder == "" {
			folder = "."
		} else if err := t.checkName(folder); err != nil {
			yield(Entry{}, err)
			return
		} else if ctx.Err() == nil && !t.hasFolder(folder) {
			return
		}
		w.enter(item{name: folder}) // its error becomes an item
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

// hasFolder reports whether the folder exists. If that is unknown it returns true, and listing
// the folder returns the error.
func (t *tree) hasFolder(name string) bool {
	info, err := fs.Stat(t.fsys, name)
	if err != nil {
		return !errors.Is(t.translate(name, err), fs.ErrNotExist)
	}
	return info.IsDir()
}

// An item is an entry of a directory: a file, a directory to enter, or an error.
type item struct {
	name string // from the root of the tree
	size int64
	dir  bool
	link bool // to a directory
	err  error
}

// key returns the sort key of an item. The names of files in a directory have a slash after
// the directory's name, so "a.txt" comes before "a/x".
func (it item) key() string {
	if it.dir {
		return it.name + "/"
	}
	return it.name
}

// A level is a directory that is being listed.
type level struct {
	info   fs.FileInfo
	linked bool // it was reached by a link, or a parent was
	items  []item
}

// A walk is a listing in progress.
type walk struct {
	*tree
	ctx  context.Context
	open []level // from the root to the current directory

	// The directories that were reached by links, by modification time, so that only few
	// have to be compared with os.SameFile.
	linked map[int64][]fs.FileInfo
}

// next removes and returns the next item of the innermost directory.
func (w *walk) next() (it item, ok bool) {
	top := &w.open[len(w.open)-1]
	if len(top.items) == 0 {
		return item{}, false
	}
	it, top.items = top.items[0], top.items[1:]
	return it, true
}

// enter reads a directory. If that fails midway, the entries read so far are listed after the
// error.
func (w *walk) enter(dir item) {
	// Use Stat, because follow compares the targets of links.
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
		// An error of the root has no name, so it ends the listing.
		name := dir.name
		if name == "." {
			name, l.items = "", nil
		}
		l.items = slices.Insert(l.items, 0, item{name: name, err: err})
	}
	w.open = append(w.open, l)
}

// follow reports whether to enter a directory that a link led to, directly or through a
// parent. It returns true once for each directory, and never for one that is being listed, so
// loops end. A listing reads each directory at most twice: under its own name and under one
// link.
func (w *walk) follow(dir fs.FileInfo) bool {
	// If a file differs from itself, os.SameFile does not work for this file system.
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

// items returns the items for entries, in order. It looks up the kind of every entry, because
// the position of a link depends on its target.
func (w *walk) items(dir string, entries []fs.DirEntry) []item {
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		if w.ctx.Err() != nil {
			break // List returns the error
		}
		items = append(items, w.item(path.Join(dir, e.Name()), e))
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.key(), b.key()) })
	return items
}

// item returns the item for e. It is an error if e is not a file or directory, nor a link to
// one.
func (w *walk) item(name string, e fs.DirEntry) item {
	it := item{name: name}
	if err := w.checkName(name); err != nil {
		it.err = err // only in an fs.FS: it cannot be opened
		return it
	}
	if e.IsDir() {
		it.dir = true
		return it
	}
	// On Windows there are links without fs.ModeSymlink, so every irregular file may be one.
	info, err := e.Info()
	if err == nil && !info.Mode().IsRegular() {
		it.link = true // otherwise Stat returns the same file
		info, err = fs.Stat(w.fsys, name)
	}
	switch {
	case err != nil:
		it.err = w.translate(name, err) // a dangling link, or a file that was just removed
		return it
	case info.IsDir():
		it.dir = true
		return it
	}
	it.size, it.err = info.Size(), w.checkKind(name, info)
	return it
}
