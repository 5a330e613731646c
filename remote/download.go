// Downloads: copying an object to a file, in parallel and resumable.

package remote

import (
	"cmp"
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

// A Download copies an object to a file. The file appears under its name when it is complete.
//
// Until then the bytes are in a hidden file in the same folder, called ".NAME.part-" and ten
// digits that depend on the version of the object. If a download fails or is killed, that file
// stays, and the next download of the same version resumes at its end. If the store knows the
// SHA-256 digest of the object, it is verified before the file gets its name.
type Download struct {
	// Parallel is the number of requests in flight, for 8 MiB each, which are held in
	// memory. 0 means 4. From a server without range requests there is one.
	Parallel int

	// Overwrite replaces an existing file. Without it, the error wraps [fs.ErrExist].
	Overwrite bool

	// Progress is called with the number of bytes written so far and the size of the
	// object, from one goroutine. nil means that it is not called.
	Progress func(done, total int64)
}

// Downloaded is the result of a download.
type Downloaded struct {
	SHA256   [32]byte // of the file
	Verified bool     // the store has the same digest
	Resumed  int64    // bytes that an earlier download had left
}

// pieceSize is the number of bytes that one request fetches.
const pieceSize = 8 << 20

// ErrDigest means that the bytes of an object do not have the digest that its store recorded.
var ErrDigest = errors.New("SHA-256 mismatch")

// Part returns the name of the hidden file in which a download of o to path keeps its bytes.
// It returns "" if nothing identifies the version of the object; such a download cannot be
// resumed.
func Part(o store.Object, path string) string {
	version := store.Version(o)
	if version == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", version, o.Size()))
	return partPrefix(path) + hex.EncodeToString(sum[:5])
}

func partPrefix(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part-")
}

// Run copies o to the file at path, in an existing folder.
func (d *Download) Run(ctx context.Context, o store.Object, path string) (*Downloaded, error) {
	if _, err := os.Lstat(path); err == nil && !d.Overwrite {
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
		err = d.rename(part, path)
	}
	if errors.Is(err, ErrDigest) {
		os.Remove(part) // resuming would fail again
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// clearParts removes the hidden files of downloads of other versions.
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

// rename gives the file its name. Renaming would replace an existing file, while a hard link
// does not. Where links are unsupported, a file created since the first check is replaced.
func (d *Download) rename(part, path string) error {
	if d.Overwrite {
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

// A transfer is a running download.
type transfer struct {
	*Download
	object store.Object
	file   *os.File
	hash   hash.Hash
	at     int64 // the number of bytes in the file
}

func (t *transfer) run(ctx context.Context) (*Downloaded, error) {
	if err := t.resume(); err != nil {
		return nil, err
	}
	got := &Downloaded{Resumed: t.at}
	if err := t.pieces(ctx); err != nil {
		return nil, err
	}
	t.hash.Sum(got.SHA256[:0])
	want, known := store.SHA256(t.object)
	if got.Verified = known && want == got.SHA256; known && !got.Verified {
		return nil, fmt.Errorf("%w: the download has %x, the store recorded %x; download it again", ErrDigest, got.SHA256,
			want)
	}
	return got, nil
}

// resume reads the bytes that an earlier download left.
func (t *transfer) resume() error {
	n, err := io.Copy(t.hash, io.LimitReader(t.file, t.object.Size()))
	t.advance(n)
	if err == nil {
		err = t.file.Truncate(n) // in case it is longer than the object
	}
	return err
}

// advance counts bytes that are in the file.
func (t *transfer) advance(n int64) {
	t.at += n
	if t.Progress != nil {
		t.Progress(t.at, t.object.Size())
	}
}

// A piece is a part of the object that was read.
type piece struct {
	data []byte
	err  error
}

// pieces reads the missing bytes in parallel and writes them in order.
func (t *transfer) pieces(ctx context.Context) error {
	parallel := max(cmp.Or(t.Parallel, 4), 1)
	if store.InOrder(t.object) {
		parallel = 1
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The queue has a channel for the result of each piece, in order.
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

// write appends bytes to the file and adds them to the digest.
func (t *transfer) write(data []byte) error {
	if _, err := t.file.WriteAt(data, t.at); err != nil {
		return err
	}
	t.hash.Write(data)
	t.advance(int64(len(data)))
	return nil
}
