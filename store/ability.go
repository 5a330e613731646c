// Optional methods of stores and objects, and the functions that use them.

package store

import (
	"context"
	"errors"
	"io"
)

// A HeadOpener is a Store that can fetch the start of an object while opening it.
type HeadOpener interface {
	Store

	// OpenHead is like Open, and prepares for reading the first n bytes, or fewer if the
	// object is shorter. If n is 0, the store chooses.
	OpenHead(ctx context.Context, name string, n int64) (Object, error)
}

// OpenHead opens the named object and tells s that its first n bytes will be read next. A
// store on a network then fetches them with the request that finds out the object's size.
// If n is 0, the store chooses. If s is not a [HeadOpener], OpenHead calls s.Open.
func OpenHead(ctx context.Context, s Store, name string, n int64) (Object, error) {
	if h, ok := s.(HeadOpener); ok {
		return h.OpenHead(ctx, name, n)
	}
	return s.Open(ctx, name)
}

// A Prefetcher is a reader that can fetch bytes before they are read. The readers that
// [Object.ReaderAt] returns may implement it; readers of local files do not.
type Prefetcher interface {
	io.ReaderAt

	// Prefetch fetches n bytes at off in one go, because the caller will read them in one
	// or more pieces. It returns no error: reading the bytes does.
	Prefetch(off, n int64)
}

// Same reports whether a and b are known to have the same content, for example because
// they are one file under two names. If it returns true, comparing their bytes is
// unnecessary; false means nothing. Objects opt in with a method SameAs(Object) bool.
func Same(a, b Object) bool {
	one, ok := a.(interface{ SameAs(Object) bool })
	return ok && one.SameAs(b)
}

// SameBytes reports whether two readers of objects, or sections of such readers, are known to have the same bytes:
// the same part of objects that are the [Same]. False means nothing. The readers of [Object.ReaderAt] opt in with a
// method Object() Object.
func SameBytes(a, b io.ReaderAt) bool {
	if x, ok := a.(*io.SectionReader); ok {
		y, ok := b.(*io.SectionReader)
		if !ok {
			return false
		}
		a1, off, n := x.Outer()
		b1, at, m := y.Outer()
		return off == at && n == m && SameBytes(a1, b1)
	}
	x, ok := a.(interface{ Object() Object })
	y, also := b.(interface{ Object() Object })
	return ok && also && Same(x.Object(), y.Object())
}

// ErrChanged means that an object was changed or replaced while it was read. What was read
// may be a mixture of two versions.
var ErrChanged = errors.New("changed while it was read; read it again from the start")

// Unchanged returns an error that wraps [ErrChanged] if an object is known to have changed since
// it was opened, and nil otherwise. The object may be closed. Objects opt in with a method
// Unchanged() error. Those of a server need none if each read returns bytes of the version that
// was opened, or an error.
func Unchanged(o Object) error {
	if o, ok := o.(interface{ Unchanged() error }); ok {
		return o.Unchanged()
	}
	return nil
}

// Version returns a string that identifies the version of an object among those with the
// same name: a digest, an ETag or a modification time, whichever its store knows. It returns
// "" if the store knows none. Objects opt in with a method Version() string.
func Version(o Object) string {
	if o, ok := o.(interface{ Version() string }); ok {
		return o.Version()
	}
	return ""
}

// SHA256 returns the SHA-256 digest of an object if its store has recorded one, as the
// Hugging Face Hub does for large files. Nothing is read or computed. Objects opt in with a
// method SHA256() ([32]byte, bool).
func SHA256(o Object) (digest [32]byte, ok bool) {
	if o, ok := o.(interface{ SHA256() ([32]byte, bool) }); ok {
		return o.SHA256()
	}
	return digest, false
}

// FileName returns the name under which the server of an object wants it to be saved, as the
// header Content-Disposition says, or "". It is a single path element. Objects opt in with a
// method FileName() string.
func FileName(o Object) string {
	if o, ok := o.(interface{ FileName() string }); ok {
		return o.FileName()
	}
	return ""
}

// InOrder reports whether an object should be read from front to back by a single reader,
// because its server does not support range requests. Objects opt in with a method
// InOrder() bool.
func InOrder(o Object) bool {
	r, ok := o.(interface{ InOrder() bool })
	return ok && r.InOrder()
}
