// Package page has the page of "weigh view": TypeScript in src, bundled into dist by tools/bundle.
package page

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// FS returns the files of the page: index.html, app.js, app.css and licenses.txt. index.html has no inline script or
// style, and requests the others from /assets/.
func FS() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid name
	}
	return files
}
