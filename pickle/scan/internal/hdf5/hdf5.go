// The structure of HDF5 files.

// Package hdf5 finds the attributes in HDF5 files, which may be configurations of models or pickles,
// and references to other files. It follows the links from the root group.
package hdf5

import (
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// Analyze follows the structure of the file whose signature is at an offset. Errors are
// evidence.ErrBudget and read errors; an invalid structure is Contents.Unread.
func Analyze(r io.ReaderAt, size, at int64, spend func(int64) bool) (*Contents, error) {
	f := &file{Contents: new(Contents), window: bytesio.NewWindow(r, size), size: size, base: at, spend: spend,
		seen: make(map[int64]bool)}
	root, err := f.superblock(at)
	if err == nil {
		_, err = f.version(root)
	}
	f.Damaged = errors.Is(err, errInvalid)
	if err == nil {
		f.visit(root)
		err = f.follow()
	}
	if errors.Is(err, errInvalid) {
		f.Unread, err = err.Error(), nil
	}
	return f.Contents, err
}

// follow examines the objects to which the root group refers.
func (f *file) follow() error {
	for len(f.todo) > 0 {
		at := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if len(f.seen) > mostObjects {
			return evidence.ErrBudget
		}
		err := f.object(at)
		if err == nil {
			err = f.texts()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// superblock reads the superblock and returns the address of the root group.
func (f *file) superblock(at int64) (int64, error) {
	const signature, sizes0, sizes2 = 8, 13, 9
	b, err := f.bytes(at+signature, 8)
	if err != nil {
		return 0, err
	}
	version := b[0]
	if version >= 2 {
		f.offsets, f.lengths = int(b[sizes2-signature]), int(b[sizes2-signature+1])
	} else {
		f.offsets, f.lengths = int(b[sizes0-signature]), int(b[sizes0-signature+1])
	}
	if version > 3 || !sizeOK(f.offsets) || !sizeOK(f.lengths) {
		return 0, errInvalid
	}
	c := f.at(at + 12)
	if version < 2 {
		c = f.at(at + 24)
		if version == 1 {
			c.skip(4)
		}
		c.skip(4*f.offsets + f.offsets) // addresses, and the name of the root group
		return c.address()
	}
	c.skip(3 * f.offsets)
	return c.address()
}

// sizeOK reports whether numbers can have a size.
func sizeOK(n int) bool { return n == 2 || n == 4 || n == 8 }
