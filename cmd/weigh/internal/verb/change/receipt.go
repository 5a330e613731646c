// Files beside an input that are not copied, for receipts.

package change

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/checkpoint/shards"
)

// slashed returns the path of a file in dir with slashes, which all systems accept.
func slashed(dir, name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }

// isFolder reports whether name is that of a folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// leftBehind returns the files that are not copied when a source that is a folder or an
// index is written to another folder. A single file is never reported as incomplete.
func leftBehind(source, to string) []string {
	switch {
	case isFolder(source):
		return shards.Companions(source, to)
	case strings.HasSuffix(source, ".index.json"):
		return shards.Companions(filepath.Dir(source), to)
	}
	return nil
}
