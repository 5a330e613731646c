// What a file inherits from the one it replaces, and folders on the disk,
// elsewhere than on Unix: nothing that a program could do.

//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// inherit does nothing: on Windows a file gets its rights from its folder.
func inherit(*os.File, fs.FileInfo) {}

// syncFolder does nothing: Windows has no handle of a folder that can be synced.
func syncFolder(string) error { return nil }
