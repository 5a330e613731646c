// The interfaces Store, Lister and Object.

// Package store defines interfaces for storage, local or on a network, and implements local
// directories.
//
// A [Store] is a set of named objects that do not change, such as the files in a directory, a
// revision of a repository on the Hugging Face Hub, or the objects in an S3 bucket. [Dir] and
// [FS] are local stores; package remote implements stores on a network. A [Ref] is the text
// that users write to name a store and an object in it.
//
// Package storetest tests implementations.
//
// Object names are untrusted, because they may come from an index file. [CheckName] rejects
// names that could lead out of a store, and only regular files are opened. Symbolic links are
// followed to any place, because the Hub's cache consists of links. A directory in which
// untrusted users can create links is therefore not safe to use.
package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

// A Store opens objects by name. A name is a slash-separated path for which [CheckName]
// returns nil. Implementations are safe for concurrent use.
type Store interface {
	// Open opens the named object and determines its size. If the object does not exist or
	// is a folder, the error wraps [fs.ErrNotExist]. If the name is
	// invalid, it wraps [fs.ErrInvalid]. Reads do not depend on ctx.
	Open(ctx context.Context, name string) (Object, error)
}

// A Lister is a Store that can list its objects. Web servers, for example, cannot.
type Lister interface {
	Store

	// List yields all objects in a folder and its subfolders, in ascending byte order of
	// their names. Names are relative to the store, not to the folder, and Open accepts
	// them. The folder "" contains all objects. A missing folder is empty, because in some
	// stores a folder is only a prefix of names.
	//
	// An error with the name of an object or folder concerns only that one, and List
	// continues after it. An error without a name ends the listing, for example because
	// ctx is done.
	List(ctx context.Context, folder string) iter.Seq2[Entry, error]
}

// An Entry is an object's name and size.
type Entry struct {
	Name string
	Size int64 // in bytes
}

// An Object is an open object that can be read at any offset. It is safe for concurrent use.
type Object interface {
	// Close closes the object. Later reads fail with an error that wraps [fs.ErrClosed].
	// Closing it again does nothing.
	io.Closer

	// Size returns the number of bytes when the object was opened.
	Size() int64

	// ReaderAt returns a reader of the object. When ctx is done, its reads fail with the
	// cause. A read past the end returns [io.EOF], not wrapped. If the object turns out to
	// be shorter than Size, the error wraps [io.ErrUnexpectedEOF].
	//
	// A reader costs nothing: use one for each task rather than one for each object.
	ReaderAt(ctx context.Context) io.ReaderAt
}

// CheckName returns nil if name is a valid object name: a slash-separated path as in
// [fs.ValidPath], other than ".". It is valid UTF-8 and has no element that is empty, "." or
// "..". Otherwise the error wraps [fs.ErrInvalid].
//
// A backslash is allowed. Stores that cannot have one, such as [Dir] on Windows, reject it.
func CheckName(name string) error {
	if fs.ValidPath(name) && name != "." {
		return nil
	}
	return fmt.Errorf("object name %q must be a relative path without empty, \".\" or \"..\" elements: %w", name,
		fs.ErrInvalid)
}
