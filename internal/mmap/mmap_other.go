// Systems without mappings, such as WebAssembly and Plan 9.

//go:build !unix && !windows

package mmap

import (
	"errors"
	"os"
)

// mapFile always fails: the caller then reads at offsets.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// unmapFile is never called, since there is nothing that mapFile returned.
func unmapFile([]byte) error { return errors.ErrUnsupported }
