// Package hubcache knows the layout of the Hugging Face Hub's local cache, in which snapshots/REVISION/FILE is a
// symbolic link to ../../blobs/DIGEST, and finds links that lead nowhere although their blob is there.
package hubcache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Link is a file of a snapshot that should be a link to a blob.
type Link struct {
	Path string // of the file
	Says string // where it leads, as a link or by its text: to nothing
	To   string // where it should lead, relative to its folder
}

// maxText is the size of the largest file that may be the text of a link.
const maxText = 4096

// Broken returns the link at a path of a snapshot, if it leads nowhere, and the blob that it names is in the cache. It
// may also be a file with the text of a link, as programs leave it that do not know links.
func Broken(path string) (Link, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Link{}, false
	}
	blobs, depth := blobsOf(path)
	if blobs == "" {
		return Link{}, false
	}
	says, ok := destination(path)
	name := says[strings.LastIndexAny(says, `/\`)+1:]
	if !ok || !IsDigest(name) {
		return Link{}, false
	}
	if info, err := os.Stat(filepath.Join(blobs, name)); err != nil || !info.Mode().IsRegular() {
		return Link{}, false
	}
	return Link{path, says, filepath.FromSlash(strings.Repeat("../", depth) + "blobs/" + name)}, true
}

// Right reports whether a path of a snapshot is a link that leads to a blob of its cache.
func Right(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	to, err := os.Readlink(path)
	blobs, _ := blobsOf(path)
	if err != nil || blobs == "" || !IsDigest(filepath.Base(to)) {
		return false
	}
	is, err := os.Stat(path)
	blob, missing := os.Stat(filepath.Join(blobs, filepath.Base(to)))
	return err == nil && missing == nil && os.SameFile(is, blob)
}

// blobsOf returns the folder of blobs of the cache that a file of a snapshot is in, and how many folders above that
// file it is; "" if the file is in none.
func blobsOf(path string) (blobs string, depth int) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if depth++; filepath.Base(dir) == "snapshots" {
			if depth < 2 {
				return "", 0
			}
			return filepath.Join(filepath.Dir(dir), "blobs"), depth
		}
		if dir == filepath.Dir(dir) {
			return "", 0
		}
	}
}

// destination returns where a link leads that leads nowhere, or the text of a small file of one line that is a path of
// a blob.
func destination(path string) (string, bool) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", false
	case info.Mode()&fs.ModeSymlink != 0:
		says, err := os.Readlink(path)
		_, gone := os.Stat(path)
		return says, err == nil && errors.Is(gone, fs.ErrNotExist)
	case !info.Mode().IsRegular() || info.Size() > maxText:
		return "", false
	}
	text, err := os.ReadFile(path)
	says := strings.TrimRight(string(text), "\r\n")
	slash := strings.LastIndexAny(says, `/\`)
	return says, err == nil && slash > 0 && !strings.ContainsAny(says, "\n\x00") &&
		strings.HasSuffix(strings.TrimRight(says[:slash], `/\`), "blobs")
}

// IsDigest reports whether a name is a digest by which blobs are called: SHA-256, or SHA-1 of a Git object.
func IsDigest(name string) bool {
	return (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

// Make makes the link again. The new one replaces the old file or link at once.
func (l Link) Make() error {
	made := l.Path + ".link-new"
	if err := os.Symlink(l.To, made); err != nil {
		return err
	}
	if err := os.Rename(made, l.Path); err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return nil
}
