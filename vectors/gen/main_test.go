// Package gen writes the test vectors of package vectors, and checks that the files
// in the repository are what it writes. In the folder of package vectors, run
//
//	go test ./gen -update
//
// The vectors are composed byte by byte in this source, without the packages under
// test: a fault in an encoder would hide the same fault in a decoder.
package gen

import (
	"flag"
	"os"
	"path/filepath"
)

var update = flag.Bool("update", false, "write the vectors and remove stale ones")

// write writes all vectors below dir and removes stale ones.
func write(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "*", "*.vector"))
	if err != nil {
		return err
	}
	stale := make(map[string]bool)
	for _, name := range old {
		stale[name] = true
	}
	for path, content := range render() {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return err
		}
		delete(stale, name)
	}
	for name := range stale {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
