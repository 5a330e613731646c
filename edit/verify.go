// Verifying: what was written, read again, and compared with what it was to be.

package edit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/witness"
)

// verifyBuffer is how many bytes are compared at a time. It holds whole elements of
// any dtype, and whole groups of those that are narrower than a byte.
const verifyBuffer = 768 << 10

// verifyEntries returns why a header does not have the tensors of a file that was
// written, and its metadata, or nil.
func (f *file) verifyEntries(h *safetensors.Header) error {
	n := 0
	for i := range f.changes {
		now := f.changes[i].Now
		if now == nil {
			continue
		}
		n++
		if is := h.Lookup(now.Name); is == nil || is.Dtype != now.Dtype || is.Size() != now.Size() || !slices.Equal(is.Shape, now.Shape) {
			return fmt.Errorf("its header does not have tensor %s as it was written", quote(now.Name))
		}
	}
	if n != len(h.Tensors) || !maps.Equal(h.Metadata, f.metadata) {
		return errors.New("its header says something else than was written")
	}
	return nil
}

// verifyFile compares a file that was written with what it was to hold, and fills in
// the rows of its tensors. Several are compared at once.
func (j *job) verifyFile(ctx context.Context, f *file, disk *os.File, rows []Tensor) error {
	info, err := disk.Stat()
	if err != nil {
		return err
	}
	is, err := safetensors.NewFile(disk, info.Size())
	if err != nil {
		return err
	}
	if err := f.verifyEntries(is.Header); err != nil {
		return err
	}
	j.tell(is.Header.DataStart())

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	const most = 4 // goroutines: digests are what takes time, and disks do not get faster
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(most, runtime.GOMAXPROCS(0), len(rows)) {
		workers.Go(func() {
			v := newVerifier(j, ctx)
			for i := next.Add(1) - 1; i < int64(len(rows)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if rows[i].Now == nil {
					continue
				}
				if err := v.verify(&rows[i], &f.changes[i], is, f.seen[f.changes[i].Now]); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// A verifier compares one tensor after the other.
type verifier struct {
	job       *job
	ctx       context.Context
	want, got []byte
}

func newVerifier(j *job, ctx context.Context) *verifier {
	return &verifier{j, ctx, make([]byte, verifyBuffer), make([]byte, verifyBuffer)}
}

// verify compares a tensor of the file with what it was to be, and fills in its row.
func (v *verifier) verify(row *Tensor, c *Change, file *safetensors.File, seen *witness.Reader) error {
	t, err := file.Tensor(c.Now.Name)
	if err != nil {
		return err
	}
	digest := sha256.New()
	for off := int64(0); off < t.Size(); off += verifyBuffer {
		if v.ctx.Err() != nil {
			return context.Cause(v.ctx)
		}
		n := min(verifyBuffer, t.Size()-off)
		want, got := v.want[:n], v.got[:n]
		if err := readFull(t, got, off); err != nil {
			return err
		}
		digest.Write(got)
		v.job.tell(n)
		if seen.IsOf(t.Size()) {
			continue
		}
		if err := readFull(c.Now, want, off); err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return otherBytes(t)
		}
	}
	digest.Sum(row.SHA256[:0])
	if seen.IsOf(t.Size()) && !seen.Saw(row.SHA256[:]) {
		return otherBytes(t)
	}
	if !c.cast() {
		return nil
	}
	row.Losses, err = losses(v.ctx, c.Was, t)
	return err
}

// otherBytes returns the error of a tensor that is not what was written.
func otherBytes(t *safetensors.Tensor) error {
	return fmt.Errorf("tensor %s has other bytes than were written", quote(t.Name))
}

// readFull reads len(b) bytes of t at off.
func readFull(t *safetensors.Tensor, b []byte, off int64) error {
	if err := bytesio.ReadFull(t, b, off); err != nil {
		return fmt.Errorf("tensor %s: %w", quote(t.Name), err)
	}
	return nil
}
