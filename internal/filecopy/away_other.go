// Files on other machines, where nobody knows them.

//go:build !linux

package filecopy

import "os"

// isAway says that a file may be on another machine: then it is for the system to
// copy it.
func isAway(*os.File) bool { return true }
