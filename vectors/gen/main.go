// The program: writes every vector to its place.

// Gen writes the test vectors of package vectors. Run it in the module's root:
//
//	go run ./vectors/gen
//
// It takes the folder to write to as its one argument, which may be left out.
// Vectors that it does not know any more are removed.
//
// The files in the vectors are put together byte by byte, as they stand in the
// source, and by nothing that the packages under test have: a fault in an
// encoder would hide the same fault in a decoder.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := "vectors"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// write writes all vectors below dir, and removes those of earlier runs.
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
