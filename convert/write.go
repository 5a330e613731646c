// Writing: sources checked, files written, and compared before they have their names.

package convert

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// Write writes the files. Before, it compares the checksums of the sources, unless
// Conversion.Torch says not to; after, it compares each tensor with what it was. Errors
// are those of [checkpoint.Writer.Write], or a *[SourceError].
func (p *Plan) Write(ctx context.Context) error {
	for _, s := range p.Sources {
		if err := p.check(s); err != nil {
			return err
		}
	}
	return p.Files.Write(ctx)
}

// check compares the checksums of a source, and makes its digest.
func (p *Plan) check(s *Source) error {
	var digested error
	var both sync.WaitGroup
	if p.c.Digests {
		both.Go(func() {
			sum := sha256.New()
			if digested = s.digest(sum, func(n int64) { p.tell(Checking, n) }); digested == nil {
				s.SHA256 = sum.Sum(nil)
			}
		})
	}
	var checked error
	if !p.c.Torch.NoChecksum {
		checked = s.fault(s.cp.CheckSums())
	}
	both.Wait()
	return errors.Join(checked, digested)
}

// A pair is room for parts of two tensors.
type pair [2][512 << 10]byte

var pairs = sync.Pool{New: func() any { return new(pair) }}

// verify compares a tensor that was written with what it was to be.
func (p *Plan) verify(ctx context.Context, was, is *safetensors.Tensor) error {
	var odd int64 // bytes of a BOOL that are neither 0 nor 1
	var sum hash.Hash
	if p.c.Digests {
		sum = sha256.New()
	}
	room := pairs.Get().(*pair)
	defer pairs.Put(room)
	for off := int64(0); off < was.Size(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(was.Size()-off, int64(len(room[0])))
		x, y := room[0][:n], room[1][:n]
		if err := errors.Join(readFull(was, x, off), readFull(is, y, off)); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("its bytes from %d on are not those of the source: that has changed meanwhile, or a disk is broken", off)
		}
		if sum != nil {
			sum.Write(y)
		}
		if is.Dtype == safetensors.BOOL {
			odd += oddBools(y)
		}
		p.tell(Rereading, n)
		off += n
	}
	if odd > 0 {
		p.warn(fmt.Sprintf("the tensor %s, of BOOL, has %s besides 0 and 1, as in the source", wording.Quote(is.Name), wording.Count(odd, "byte")))
	}
	if sum != nil {
		p.rows[was].SHA256 = sum.Sum(nil)
	}
	return nil
}

// oddBools counts the bytes that are neither 0 nor 1.
func oddBools(b []byte) (n int64) {
	for _, x := range b {
		if x > 1 {
			n++
		}
	}
	return n
}

// warn takes note of what is odd about what was written. It may be called by several
// goroutines at once.
func (p *Plan) warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Warnings = append(p.Warnings, text)
	slices.Sort(p.Warnings)
}

// readFull fills b.
func readFull(t *safetensors.Tensor, b []byte, off int64) error {
	n, err := t.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return err
}
