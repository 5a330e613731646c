// Reading open files at any offset, with contexts.

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/weightools/safetensors/internal/atomicfile"
)

// An object is an open file of a directory or an fs.FS.
type object struct {
	path   string // for errors
	file   fs.File
	info   fs.FileInfo                 // of the open file
	stat   func() (fs.FileInfo, error) // of the file that has its name now
	reader io.ReaderAt                 // file, or what was read of it
	size   int64                       // at the time it was opened
	closed atomic.Bool
}

// Size implements [Object].
func (o *object) Size() int64 { return o.size }

// ReaderAt implements [Object].
func (o *object) ReaderAt(ctx context.Context) io.ReaderAt { return &objectReader{o, ctx} }

// SameAs implements [Same]. It cannot tell for files in memory.
func (o *object) SameAs(other Object) bool {
	p, ok := other.(*object)
	return ok && (o == p || o.size == p.size && os.SameFile(o.info, p.info))
}

// Unchanged implements the optional method of [Unchanged]. Files are dated by a clock that
// ticks every few milliseconds: a change within the tick in which the object was opened is
// not noticed if the size is the same.
func (o *object) Unchanged() error {
	now, err := o.stat()
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil, now.Size() != o.info.Size(), !atomicfile.SameDate(o.info.ModTime(), now.ModTime()),
		o.onDisk() && !os.SameFile(o.info, now):
		return &fs.PathError{Op: "read", Path: o.path, Err: ErrChanged}
	}
	return nil
}

// unsizedMax is the maximum size of a file of unknown size. Those of /proc have a few KiB.
const unsizedMax = 16 << 20

// readUnsized reads the content of a file of size 0 into memory. Files of /proc have some, and it may be another one at
// each read. Some of them would wait for a kernel message.
func (o *object) readUnsized() error {
	f, err := os.OpenFile(o.path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, unsizedMax+1))
	switch {
	case err != nil || len(b) == 0:
		return err
	case len(b) > unsizedMax:
		return fmt.Errorf("%q has more than %d bytes, but its size is reported as 0: copy it to a file first", o.path,
			unsizedMax)
	}
	o.reader, o.size = bytes.NewReader(b), int64(len(b))
	return nil
}

// onDisk reports whether the object is a file of the operating system, which has an identity.
func (o *object) onDisk() bool {
	_, ok := o.file.(*os.File)
	return ok
}

// Close is safe during reads: an *os.File waits for them, and files in memory hold no
// resources.
func (o *object) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	return o.file.Close()
}

// An objectReader reads an object for one task.
type objectReader struct {
	*object
	ctx context.Context
}

// Object implements [SameBytes].
func (r *objectReader) Object() Object { return r.object }

// ReadsFile returns the file, or nil if it is not an *os.File, and the object's size. Package
// safetensors uses it to copy files with the operating system. Meanwhile it reads single bytes
// from the reader to find out whether the context is done.
func (r *objectReader) ReadsFile() (*os.File, int64) {
	f, _ := r.reader.(*os.File)
	return f, r.size
}

// chunkSize is the maximum number of bytes of one read from a file. Such a read cannot be
// interrupted, so this many bytes may be read after the context is done. Sizes of 256 KiB and
// more are equally fast.
const chunkSize = 4 << 20

// ReadAt returns io.EOF at the size that the object had when it was opened. A file that ends
// before that was truncated, which is a different error.
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
	// Bytes appended since the object was opened do not belong to it.
	want := int(min(int64(len(p)), r.size-off))
	for n < want {
		m, err := r.readChunk(p[n:min(want, n+chunkSize)], off+int64(n))
		n += m
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF // not wrapped: callers compare it with ==
	}
	return n, nil
}

// readChunk fills p, all of which lies within r.size.
func (r *objectReader) readChunk(p []byte, off int64) (int, error) {
	if err := r.alive(); err != nil {
		return 0, err
	}
	n, err := r.reader.ReadAt(p, off)
	switch {
	case n == len(p):
		return n, nil // with or without io.EOF, as io.ReaderAt allows
	case err == io.EOF || err == nil:
		return n, r.failed(fmt.Errorf("the file ends at byte %d; it had %d bytes when it was opened: %w (%w)",
			off+int64(n), r.size, ErrChanged, io.ErrUnexpectedEOF))
	}
	return n, err // an *os.File returns an *fs.PathError
}

// alive returns an error if the object is closed or the context is done.
func (r *objectReader) alive() error {
	if r.closed.Load() {
		return r.failed(fs.ErrClosed)
	}
	if r.ctx.Err() != nil {
		return r.failed(context.Cause(r.ctx))
	}
	return nil
}

// failed wraps an error of reading the file.
func (r *objectReader) failed(err error) error {
	return &fs.PathError{Op: "read", Path: r.path, Err: err}
}
