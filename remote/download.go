// Downloads: an object as a file, in pieces that come side by side and are written in
// order, so that what there is of the file after a kill is good up to its end.

package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/store"
)

// A Download copies an object to a file that appears when it is whole.
//
// The bytes go to a hidden file beside it, called ".NAME.part-" and ten digits that stand
// for this version of the object. A download that is killed, or fails, leaves that file, and
// the next one of the same version goes on from its end, having read what is there to work
// out the digest. If the store knows the SHA-256 digest of the object, all bytes are held
// against it before the file gets its name.
type Download struct {
	// Parallel is how many pieces of 8 MiB come at once, each into memory. 0 means 4.
	// From a server without ranges there is one.
	Parallel int

	// Replace is leave to replace a file of that name. Without it, the error wraps
	// [fs.ErrExist].
	Replace bool

	// Progress is told of bytes that are there. nil means nobody is.
	Progress func(bytes int64)
}

// A Downloaded is what became of a download.
type Downloaded struct {
	SHA256   string // of all bytes, in hex
	Verified bool   // the store says the same
	Resumed  int64  // bytes that an earlier download had left
}

// pieceSize is how much one request brings, in bytes.
const pieceSize = 8 << 20

// ErrDigest is that of an object whose bytes are not those that its store promises.
var ErrDigest = errors.New("the bytes are not those that were uploaded")

// Part returns the name of the hidden file for an object that is to become the file at
// path; "" if nothing tells this version of the object from others, so that a download of
// it begins anew.
func Part(o store.Object, path string) string {
	version := Version(o)
	if version == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", version, o.Size()))
	return partPrefix(path) + hex.EncodeToString(sum[:5])
}

func partPrefix(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part-")
}

// Run copies o to the file at path, in a folder that exists.
func (d *Download) Run(ctx context.Context, o store.Object, path string) (*Downloaded, error) {
	if _, err := os.Lstat(path); err == nil && !d.Replace {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	part := Part(o, path)
	clearParts(path, part)
	flags := os.O_RDWR | os.O_CREATE
	if part == "" {
		part, flags = partPrefix(path)+"unversioned", flags|os.O_TRUNC
	}
	f, err := os.OpenFile(part, flags, 0o666)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &transfer{Download: d, object: o, file: f, hash: sha256.New()}
	got, err := t.run(ctx)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = d.name(part, path)
	}
	if errors.Is(err, ErrDigest) {
		os.Remove(part) // to go on from it would fail again
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// clearParts removes what downloads of other versions have left.
func clearParts(path, keep string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		if left := filepath.Join(filepath.Dir(path), e.Name()); strings.HasPrefix(left, partPrefix(path)) && left != keep {
			os.Remove(left)
		}
	}
}

// name gives the file its name. A rename replaces without asking, and a hard link does
// not; where there are none, the moment since the name was free is left.
func (d *Download) name(part, path string) error {
	if d.Replace {
		return os.Rename(part, path)
	}
	err := os.Link(part, path)
	switch {
	case err == nil:
		return os.Remove(part)
	case errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(part, path)
}

// A transfer is a download under way.
type transfer struct {
	*Download
	object store.Object
	file   *os.File
	hash   hash.Hash
	at     int64 // the end of what is in the file
}

func (t *transfer) run(ctx context.Context) (*Downloaded, error) {
	if err := t.resume(); err != nil {
		return nil, err
	}
	got := &Downloaded{Resumed: t.at}
	if err := t.pieces(ctx); err != nil {
		return nil, err
	}
	got.SHA256 = hex.EncodeToString(t.hash.Sum(nil))
	want := SHA256(t.object)
	if got.Verified = want == got.SHA256; want != "" && !got.Verified {
		return nil, fmt.Errorf("%w: their SHA-256 is %s, and the store says %s: fetch the file again", ErrDigest, got.SHA256, want)
	}
	return got, nil
}

// resume takes what is in the file already.
func (t *transfer) resume() error {
	n, err := io.Copy(t.hash, io.LimitReader(t.file, t.object.Size()))
	t.at = n
	t.done(n)
	if err == nil {
		err = t.file.Truncate(n) // it is not longer than the object
	}
	return err
}

func (t *transfer) done(n int64) {
	if t.Progress != nil {
		t.Progress(n)
	}
}

// A piece is a part of the object that is read.
type piece struct {
	data []byte
	err  error
}

// pieces reads what is missing, some pieces at once, and writes them in order.
func (t *transfer) pieces(ctx context.Context) error {
	parallel := max(orElse(t.Parallel, 4), 1)
	if InOrder(t.object) {
		parallel = 1
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Pieces are queued in order, each with a channel of its own.
	queue := make(chan chan piece, parallel-1)
	go func() {
		defer close(queue)
		for off := t.at; off < t.object.Size(); off += pieceSize {
			result := make(chan piece, 1)
			select {
			case queue <- result:
			case <-ctx.Done():
				return
			}
			read := func(off int64) {
				data := make([]byte, min(pieceSize, t.object.Size()-off))
				n, err := t.object.ReaderAt(ctx).ReadAt(data, off)
				if err == io.EOF && n == len(data) {
					err = nil
				}
				result <- piece{data[:n], err}
			}
			if parallel == 1 {
				read(off)
			} else {
				go read(off)
			}
		}
	}()
	for result := range queue {
		p := <-result
		if err := t.write(p.data); err != nil {
			return err
		}
		if p.err != nil {
			return p.err
		}
	}
	if t.at < t.object.Size() {
		return context.Cause(ctx)
	}
	return nil
}

// write adds bytes to the file, and to the digest.
func (t *transfer) write(data []byte) error {
	if _, err := t.file.WriteAt(data, t.at); err != nil {
		return err
	}
	t.hash.Write(data)
	t.at += int64(len(data))
	t.done(int64(len(data)))
	return nil
}
