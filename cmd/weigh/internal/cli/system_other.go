// What is particular to systems other than Windows.

//go:build !windows

package cli

import (
	"errors"
	"os"
	"syscall"
)

// enableColors says whether a terminal acts on escape sequences. All do.
func enableColors(*os.File) bool { return true }

// readerGone says whether a write failed since nobody reads any more.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
