// Package filemode finds files of weights that fewer users can read than the other files of their folder: programs that
// write through a temporary file leave its mode, by which only the owner reads it.
package filemode

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Narrow is a file that fewer can read than the files beside it.
type Narrow struct {
	Path     string
	Is, Want fs.FileMode // permissions
}

// In returns the files of weights in a folder that group or others cannot read, although they can read every other
// file there. A folder without other files shows nothing.
func In(dir string) (narrow []Narrow) {
	const readable, shared = 0o444, 0o044
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var weights []Narrow
	common, others := fs.FileMode(readable), 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.Mode().IsRegular() || strings.HasPrefix(e.Name(), "."):
		case strings.HasSuffix(e.Name(), ".safetensors"):
			weights = append(weights, Narrow{path, info.Mode().Perm(), 0})
		default:
			common &= info.Mode().Perm()
			others++
		}
	}
	for _, w := range weights {
		if w.Want = w.Is | common; others > 0 && (w.Want&^w.Is)&shared != 0 {
			narrow = append(narrow, w)
		}
	}
	return narrow
}

// Widen gives the file the permissions of the others.
func (n Narrow) Widen() error { return os.Chmod(n.Path, n.Want) }
