// Downloads: copying an object to a file, in parallel and resumable.

package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/partial"
	"github.com/weightools/safetensors/store"
)

// A Download copies objects to files. A file appears under its name when it is complete.
//
// Until then the bytes are in a hidden file in the same folder, called ".NAME.part-" and ten
// digits that depend on the version of the object, with a record of what has arrived in another
// file with ".sums" added. If a download fails or is killed, these files stay, and the next download
// of the same version resumes. One process at a time writes them; another waits, and continues if
// the first fails. Before the file gets its name, it is compared with the checksum of the object, if
// the store knows one.
type Download struct {
	// Parallel is the number of requests in flight for an object. 0 means 4. From a server
	// without range requests there is one.
	Parallel int

	// Slots limits requests in flight of several downloads: each request takes up a place of
	// the channel. nil means that only Parallel limits them.
	Slots chan struct{}

	// Overwrite replaces an existing file. Without it, the error wraps [fs.ErrExist].
	Overwrite bool

	// Progress is called with the number of bytes present so far and the size of the
	// object, from one goroutine at a time. nil means that it is not called.
	Progress func(done, total int64)

	// Busy is called if another process is downloading the same file, before waiting for
	// it. nil means that it is not called.
	Busy func()
}

// Downloaded is the result of a download.
type Downloaded struct {
	SHA256   [32]byte // of the file, which was read again
	Verified bool     // the store has the same checksum
	Resumed  int64    // bytes that an earlier download had left
}

// ErrDigest means that the bytes of an object do not have the checksum that its store recorded.
var ErrDigest = errors.New("checksum mismatch")

// Kept returns the number of bytes that an interrupted download of o to path has left.
func Kept(o store.Object, path string) int64 { return partial.Kept(path, describe(o)) }

// Clean removes what interrupted downloads to path have left, except for what a process is at work
// on. Run does this for other versions of the object.
func Clean(path string) { partial.Clean(path) }

// describe returns what a partial file depends on.
func describe(o store.Object) partial.Object {
	_, known := store.SHA256(o)
	return partial.Object{Version: store.Version(o), Size: o.Size(), Trusted: known}
}

// Run copies o to the file at path, in an existing folder. If another process completes the file
// meanwhile, the error wraps [fs.ErrExist], even if Overwrite is set.
func (d *Download) Run(ctx context.Context, o store.Object, path string) (*Downloaded, error) {
	if _, err := os.Lstat(path); err == nil && !d.Overwrite {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	f, err := partial.Open(ctx, path, describe(o), d.Busy)
	if err != nil {
		return nil, err
	}
	t := &transfer{Download: d, object: o, file: f}
	got, err := t.run(ctx)
	if isWrong(err) && t.resumed > 0 {
		// What an earlier download has left may be wrong. Otherwise it fails again.
		if err = f.Reset(); err == nil {
			got, err = t.run(ctx)
		}
	}
	if err == nil {
		err = f.Commit(d.Overwrite)
	}
	if isWrong(err) || errors.Is(err, fs.ErrExist) {
		f.Discard()
	}
	if errors.Is(err, partial.ErrDiffers) {
		err = store.ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return got, nil
}

// isWrong reports whether an error means that bytes are wrong.
func isWrong(err error) bool { return errors.Is(err, ErrDigest) || errors.Is(err, partial.ErrDiffers) }

// A transfer is a running download.
type transfer struct {
	*Download
	object  store.Object
	file    *partial.File
	resumed int64
	done    int64
}

// run copies what is missing, and returns the digest of the file.
func (t *transfer) run(outer context.Context) (*Downloaded, error) {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	t.resumed, t.done = t.file.Have(), 0
	t.advance(t.resumed)
	t.file.Arrived = t.advance
	defer context.AfterFunc(outer, t.file.Stop)()
	check, hashed := &checksums{digest: sha256.New()}, make(chan error, 1)
	go func() {
		// It may take a request. Meanwhile bytes arrive.
		check.want = store.Checksum(ctx, t.object)
		err := t.file.Hash(check.writer())
		if err != nil {
			cancel(err)
		}
		hashed <- err
	}()
	err := t.copy(ctx)
	if err == nil && t.file.Have() < t.object.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = store.Unchanged(t.object)
	}
	if err != nil {
		t.file.Stop()
	}
	if readErr := <-hashed; err == nil || errors.Is(err, readErr) {
		err = readErr
	}
	if err != nil {
		return nil, cmp.Or(context.Cause(outer), err)
	}
	got := &Downloaded{Resumed: t.resumed, SHA256: [32]byte(check.digest.Sum(nil))}
	got.Verified, err = check.verify()
	return got, err
}

// Checksums are the SHA-256 of a file, and the checksum that its store has recorded.
type checksums struct {
	digest hash.Hash
	want   *store.Sum // nil if there is none
	sum    hash.Hash  // as want; the same as digest if that is a SHA-256
}

// writer returns what the bytes are to be written to.
func (c *checksums) writer() io.Writer {
	switch {
	case c.want == nil:
		return c.digest
	case c.want.Algorithm == "SHA-256":
		c.sum = c.digest
		return c.digest
	}
	c.sum = c.want.New()
	return io.MultiWriter(c.digest, c.sum)
}

// verify reports whether the store has the same checksum. It is an error if it has another.
func (c *checksums) verify() (bool, error) {
	if c.want == nil {
		return false, nil
	}
	if got := c.sum.Sum(nil); !bytes.Equal(got, c.want.Value) {
		return false, fmt.Errorf("%w: the download has %s %x, the store recorded %x; download it again", ErrDigest,
			c.want.Algorithm, got, c.want.Value)
	}
	return true, nil
}

// advance counts bytes that are present.
func (t *transfer) advance(n int64) {
	t.done += n
	if t.Progress != nil {
		t.Progress(t.done, t.object.Size())
	}
}

// copy copies what is missing.
func (t *transfer) copy(ctx context.Context) error {
	if !store.InOrder(t.object) {
		err := t.parallel(ctx)
		if err == nil || ctx.Err() != nil || !store.InOrder(t.object) {
			return err
		}
		// The server supported ranges at first, and no longer does.
	}
	if t.file.Have() == t.object.Size() {
		return nil
	}
	return store.Copy(ctx, t.object, t.file, 0, t.object.Size())
}

// Bounds of the number of bytes of one request.
const (
	leastPiece = 4 << 20
	mostPiece  = 32 << 20
)

// parallel copies what is missing by several requests at a time.
func (t *transfer) parallel(ctx context.Context) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	parallel := max(cmp.Or(t.Parallel, 4), 1)
	t.file.Again()
	for range parallel {
		workers.Go(func() {
			for within.Err() == nil {
				// Pieces become smaller towards the end. Then all workers end at about the same time.
				left := t.object.Size() - t.file.Have()
				off, n := t.file.Next(min(max(left/int64(2*parallel), leastPiece), mostPiece))
				if n == 0 {
					return
				}
				if err := t.piece(within, off, n); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(within)
}

// piece copies n bytes at off when there is a slot.
func (t *transfer) piece(ctx context.Context, off, n int64) error {
	if t.Slots != nil {
		slots := fetch.Slots(t.Slots)
		if err := slots.Take(ctx); err != nil {
			return err
		}
		defer slots.Leave()
	}
	return store.Copy(ctx, t.object, t.file, off, n)
}
