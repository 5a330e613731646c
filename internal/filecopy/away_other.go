// Network file systems on systems other than Linux.

//go:build !linux

package filecopy

import "os"

// isAway returns true, because the file may be on a network file system. The operating system
// then copies it.
func isAway(*os.File) bool { return true }
