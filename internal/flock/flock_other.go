// Systems without locks that end with their holder.

//go:build !windows && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package flock

import (
	"errors"
	"os"
)

// Try returns an error: the system has no locks.
func Try(*os.File) error { return errors.ErrUnsupported }

// TryStart returns an error: the system has no locks.
func TryStart(*os.File) error { return errors.ErrUnsupported }
