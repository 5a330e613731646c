// The names of hidden files.

package partial

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/flock"
)

// nameFor returns the name of the hidden file for a download of o to path. Versions of an object have
// different names, so their bytes are never mixed.
func nameFor(path string, o Object) string {
	// Earlier versions of this package recorded blocks in another way, under other names.
	sum := sha256.Sum256(fmt.Appendf(nil, "blocks %s %d", o.Version, o.Size))
	return prefix(path) + hex.EncodeToString(sum[:idLength/2])
}

const (
	idLength = 10      // hex digits at the end of the name
	sumsEnd  = ".sums" // is added for the record
)

// prefix returns the start of the names of all hidden files for path. Most systems limit names to
// 255 bytes or characters, so a long name is shortened by as much as is added to it.
func prefix(path string) string {
	dir, base := filepath.Split(path)
	const short = 64 // bytes
	const added = len(".~01234567.part-") + idLength + len(sumsEnd)
	if len(base) > short {
		sum := sha256.Sum256([]byte(base)) // the start of several names may be the same
		for range added {
			_, n := utf8.DecodeLastRuneInString(base)
			base = base[:len(base)-n]
		}
		base += "~" + hex.EncodeToString(sum[:4])
	}
	return dir + "." + base + ".part-"
}

// Clean removes what interrupted downloads to path have left, unless a process is at work on it.
func Clean(path string) { removeOthers(path, "") }

// removeOthers removes the hidden files of versions other than keep, unless a process is at work on
// them.
func removeOthers(path, keep string) {
	start, keep := filepath.Base(prefix(path)), filepath.Base(keep)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), sumsEnd)
		if id, ok := strings.CutPrefix(name, start); ok && isID(id) && name != keep {
			removeUnused(filepath.Join(filepath.Dir(path), name))
		}
	}
}

// isID reports whether s is the end of the name of a hidden file.
func isID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == idLength || s == "unversioned" // of earlier versions of this package
}

// removeUnused removes a hidden file and its record. A file without a record is not in use: the
// record is created first and removed last.
func removeUnused(name string) {
	f, err := openPlain(name+sumsEnd, os.O_RDWR)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		os.Remove(name)
	case err != nil:
	case flock.Try(f) == nil && flock.IsAt(f, name+sumsEnd):
		removeFiles(name, func() { f.Close() })
	default:
		f.Close()
	}
}
