// Reading an open file at any offset, until its reader's context is done.

package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// An object is an open file, of a directory or of an fs.FS.
type object struct {
	path   string // for errors
	file   fs.File
	info   fs.FileInfo // of the open file
	reader io.ReaderAt // file, as a reader
	size   int64       // at the time it was opened
	closed atomic.Bool
}

func (o *object) Size() int64 { return o.size }

func (o *object) ReaderAt(ctx context.Context) io.ReaderAt { return &objectReader{o, ctx} }

// SameAs says whether other is the same file, opened by the same name or another:
// see [Same]. Of files in memory it is not known.
func (o *object) SameAs(other Object) bool {
	p, ok := other.(*object)
	return ok && (o == p || o.size == p.size && os.SameFile(o.info, p.info))
}

// Close is safe while others read: an *os.File waits for them itself, and files
// in memory have nothing to give back.
func (o *object) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	return o.file.Close()
}

// An objectReader is an object that is read on behalf of one task.
type objectReader struct {
	*object
	ctx context.Context
}

// ReadsFile returns the file that is read, nil if it is none of package os, and the
// object's size. By it the package safetensors finds what the system can copy; it
// asks the reader for a byte now and then, to hear when the context is done.
func (r *objectReader) ReadsFile() (*os.File, int64) {
	f, _ := r.file.(*os.File)
	return f, r.size
}

// chunkSize bounds one read of a file, in bytes. A read cannot be interrupted,
// so this is what may still be read once the context is done. From 256 KiB up,
// the size makes no difference to speed.
const chunkSize = 4 << 20

// ReadAt takes the end of the object to be at its size. A file that ends before
// that has been changed, and its end must not pass for the object's.
func (r *objectReader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, r.failed(fmt.Errorf("negative offset %d: %w", off, fs.ErrInvalid))
	}
	if err := r.alive(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if off >= r.size {
		return 0, io.EOF
	}
	// What was appended since the object was opened is no part of it.
	want := int(min(int64(len(p)), r.size-off))
	for n < want {
		m, err := r.readChunk(p[n:min(want, n+chunkSize)], off+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF // itself: callers compare it with ==
	}
	return n, nil
}

// readChunk fills p, or says why not. All of p lies within r.size.
func (r *objectReader) readChunk(p []byte, off int64) (int, error) {
	if err := r.alive(); err != nil {
		return 0, err
	}
	n, err := r.reader.ReadAt(p, off)
	switch {
	case n == len(p):
		return n, nil // with or without io.EOF, as io.ReaderAt allows
	case err == io.EOF || err == nil:
		return n, r.failed(fmt.Errorf("ends at byte %d, of %d when it was opened: %w", off+int64(n), r.size, io.ErrUnexpectedEOF))
	}
	return n, err // an *fs.PathError already, if file is one of package os
}

// alive returns why nothing may be read any more, or nil.
func (r *objectReader) alive() error {
	if r.closed.Load() {
		return r.failed(fs.ErrClosed)
	}
	if r.ctx.Err() != nil {
		return r.failed(context.Cause(r.ctx))
	}
	return nil
}

// failed returns err as that of reading the file.
func (r *objectReader) failed(err error) error {
	return &fs.PathError{Op: "read", Path: r.path, Err: err}
}
