// Who else has a file, on systems other than Unix.

//go:build !unix

package partial

import (
	"io/fs"
	"os"
)

// noFollow is unsupported: openPlain looks at the name first.
const noFollow = 0

// isSole returns true. Folders of downloads are private on these systems.
func isSole(*os.File, fs.FileInfo) bool { return true }
