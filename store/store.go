// The nouns: a Store of objects, a Lister of their names, an Object to read.

// Package store says where bytes live, and nothing about what they mean.
//
// A [Store] is a flat set of named objects that do not change: a directory, a
// revision of a Hub repository, the objects under an S3 prefix, the files
// beside one another on a web server. [Dir] and [FS] are here; one that needs a
// network is its own package. A [Ref] is what users write to say which store, and
// what in it.
//
// Every implementation passes the tests of
// github.com/weightools/safetensors/store/storetest.
//
// Names come from strangers: an index names its shards. A name that could lead
// out of a store is refused by [CheckName], and no file is read as an object
// that is not a regular one. Symbolic links are followed wherever they lead,
// since the Hub's cache is made of them; a directory that strangers may write
// links into is not a safe store.
package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

// A Store opens objects by name. A name is a slash-separated path, as
// [CheckName] has it. Implementations are safe for concurrent use.
type Store interface {
	// Open finds the object and its size. If there is none of that name, which
	// includes that of a folder, the error wraps [fs.ErrNotExist]; if the name
	// is none that an object may have, it wraps [fs.ErrInvalid]. ctx governs
	// this call alone.
	Open(ctx context.Context, name string) (Object, error)
}

// A Lister is a Store that can say what it holds. Not every web server can.
type Lister interface {
	Store

	// List yields every object in a folder, and in the folders below it, in
	// ascending order of names, compared byte by byte; "" is the folder of all
	// that there is. Names are whole, the folder's among them, and each is one
	// that Open accepts. A folder that is not there holds nothing, for to some
	// stores a folder is no more than what names begin with.
	//
	// An error comes with the name of the object or folder that could not be
	// looked at, and List goes on after it. The one error without a name ends
	// the listing, as when ctx is done.
	List(ctx context.Context, folder string) iter.Seq2[Entry, error]
}

// An Entry is an object's name and size.
type Entry struct {
	Name string
	Size int64 // in bytes
}

// An Object is a run of bytes to read at any offset. Its methods may be called
// by several goroutines at once.
type Object interface {
	// Close ends the object: reads begun later fail with an error that wraps
	// [fs.ErrClosed]. Closing again does nothing.
	io.Closer

	// Size returns the number of bytes when the object was opened.
	Size() int64

	// ReaderAt returns a reader of the object's bytes, whose every read ends
	// with an error once ctx is done: the cause of that. A read that passes the
	// end gives [io.EOF] itself. If an object turns out to hold fewer bytes
	// than Size, the error wraps [io.ErrUnexpectedEOF].
	//
	// It costs nothing: take one for each task, not one for each object.
	ReaderAt(ctx context.Context) io.ReaderAt
}

// CheckName returns nil if name is one that an object may have: a
// slash-separated path as in [fs.ValidPath], other than ".". It has no empty
// element, none that is "." or "..", and is UTF-8. The error wraps
// [fs.ErrInvalid].
//
// A backslash is a character like others. Stores to which it is more, such as
// Dir on Windows, refuse it themselves.
func CheckName(name string) error {
	if fs.ValidPath(name) && name != "." {
		return nil
	}
	return fmt.Errorf("object name %q is not a relative path of plain elements between slashes: %w", name, fs.ErrInvalid)
}
