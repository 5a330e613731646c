// Package flock locks files against other processes. The system releases a lock when its holder
// closes the file or ends, however it ends.
package flock

import "errors"

// ErrHeld means that another holder has locked the file.
var ErrHeld = errors.New("another process has locked the file")
