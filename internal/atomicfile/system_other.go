// Permissions and flushing of folders on systems other than Unix, which need neither.

//go:build !unix

package atomicfile

import "os"

// rights are nothing: on Windows files inherit permissions from their folder.
type rights struct{}

// rightsOf returns nil.
func rightsOf(...string) *rights { return nil }

// give does nothing.
func (*rights) give(*os.File) {}

// SyncFolder does nothing: Windows cannot flush folders.
func SyncFolder(string) error { return nil }
