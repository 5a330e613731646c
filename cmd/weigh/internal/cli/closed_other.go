// Standard output on systems other than Linux.

//go:build !linux

package cli

import "io"

// OrClosed returns stdout. Whether a shell has closed it is not known.
func OrClosed(stdout io.Writer) io.Writer { return stdout }
