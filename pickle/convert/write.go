// Writing: checksums of sources, and the files, verified before they are renamed into place.

package convert

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// Write writes the files. Every tensor is read again, and compared with the checksum that an
// archive stores for it, and otherwise byte by byte with the source, after the checksums of
// the archive were verified, unless Conversion.Torch disables that. It returns the same errors
// as [shards.Plan.Write], or a *[SourceError].
func (p *Plan) Write(ctx context.Context) error {
	if p.c.Digests {
		for _, s := range p.Sources {
			p.ahead += s.Size
		}
	}
	for i := range p.Sources {
		if _, size := p.unsummed(i); !p.c.Torch.NoChecksum {
			p.ahead += size
		}
	}
	for i, s := range p.Sources {
		if err := p.check(i, s); err != nil {
			return err
		}
	}
	receipt, err := p.Files.Write(ctx)
	if err != nil {
		return p.damaged(err)
	}
	for t := range receipt.Tensors() {
		row := p.rows[t.Tensor]
		row.Proof = t.Proof
		if p.c.Digests {
			row.SHA256 = slices.Clone(t.SHA256[:])
		}
	}
	return nil
}

// unchanged returns an error if a source has changed since it was opened.
func (p *Plan) unchanged() error {
	for _, s := range p.Sources {
		if err := store.Unchanged(s.object); err != nil {
			return s.fault(err)
		}
	}
	return nil
}

// damaged returns the error of writing, with the source that it is about if that is
// damaged.
func (p *Plan) damaged(err error) error {
	var damaged *shards.ChecksumError
	if !errors.As(err, &damaged) {
		return err
	}
	for i := range p.Tensors {
		if t := &p.Tensors[i]; t.Name == damaged.Tensor {
			s := p.Sources[t.Source]
			if fault := s.fault(s.cp.CheckSumsOf([]int{t.index}, nil)); fault != nil {
				return fault
			}
		}
	}
	return err
}

// sum returns the checksum by which a tensor is verified, if there is one.
func (p *Plan) sum(t *safetensors.Tensor) (crc uint32, ok bool) {
	if p.c.Torch.NoChecksum {
		return 0, false
	}
	row := p.rows[t]
	return p.Sources[row.Source].cp.Sum(row.index)
}

// check verifies the checksums of a source, as far as verification of the new files does
// not, and computes its digest.
func (p *Plan) check(source int, s *Source) error {
	var digested error
	var both sync.WaitGroup
	if p.c.Digests {
		both.Go(func() {
			sum := sha256.New()
			if digested = s.digest(sum, func(n int64) { p.tell(p.read.Add(n)) }); digested == nil {
				s.SHA256 = sum.Sum(nil)
			}
		})
	}
	var checked error
	if !p.c.Torch.NoChecksum {
		rest, _ := p.unsummed(source)
		checked = s.fault(s.cp.CheckSumsOf(rest, func(n int64) { p.tell(p.read.Add(n)) }))
	}
	both.Wait()
	return errors.Join(checked, digested)
}

// unsummed returns the indexes of the tensors of a source whose checksums are verified before the files are written,
// and their size.
func (p *Plan) unsummed(source int) (rest []int, size int64) {
	for i := range p.Tensors {
		t := &p.Tensors[i]
		if t.Source != source {
			continue
		}
		if _, ok := p.sum(t.Tensor); !ok {
			rest = append(rest, t.index)
			size += t.Size()
		}
	}
	return rest, size
}

// tell reports progress: bytes of sources that were digested, and what follows.
func (p *Plan) tell(done int64) {
	if p.c.Progress != nil {
		p.c.Progress(done, p.ahead+2*p.Files.Size()-p.Files.IndexSize)
	}
}

// inspect warns of a tensor of BOOL with other bytes than 0 and 1.
func (p *Plan) inspect(ctx context.Context, _, is *safetensors.Tensor) error {
	if is.Dtype != safetensors.BOOL {
		return nil
	}
	odd := int64(0)
	buf := make([]byte, min(is.Size(), 1<<20))
	for off := int64(0); off < is.Size(); off += int64(len(buf)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buf = buf[:min(is.Size()-off, int64(len(buf)))]
		if err := bytesio.ReadFull(is, buf, off); err != nil {
			return err
		}
		for _, b := range buf {
			if b > 1 {
				odd++
			}
		}
	}
	if odd > 0 {
		p.warn(fmt.Sprintf("tensor %s, of BOOL, has %s other than 0 and 1, as in the source", wording.Quote(is.Name),
			wording.Count(odd, "byte")))
	}
	return nil
}

// warn adds a warning. Several goroutines may call it at once.
func (p *Plan) warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Warnings = append(p.Warnings, text)
	slices.Sort(p.Warnings)
}
