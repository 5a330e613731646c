// Terminals and pipes on systems other than Windows.

//go:build !windows

package cli

import (
	"errors"
	"os"
	"syscall"
)

// enableColors reports whether the terminal understands escape sequences.
func enableColors(*os.File) bool { return true }

// readerGone reports whether a write failed because the reader has closed the pipe.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
