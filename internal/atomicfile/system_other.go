// Permissions and flushing of folders on systems other than Unix, which need neither.

//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// inherit does nothing: on Windows files inherit permissions from their folder.
func inherit(*os.File, fs.FileInfo) {}

// SyncFolder does nothing: Windows cannot flush folders.
func SyncFolder(string) error { return nil }
