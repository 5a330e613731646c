// Writing: sources checked, files written, and compared before they have their names.

package convert

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
)

// Write writes the files. What is written is read again, and found to be what the source
// has: by the checksum that an archive has of a tensor, and otherwise byte by byte, after
// the checksums of the archive were compared, unless Conversion.Torch says not to. Errors
// are those of [checkpoint.Writer.Write], or a *[SourceError].
func (p *Plan) Write(ctx context.Context) error {
	for i, s := range p.Sources {
		if err := p.check(i, s); err != nil {
			return err
		}
	}
	return p.Files.Write(ctx)
}

// sum returns the checksum by which a tensor is verified, if it is.
func (p *Plan) sum(t *Tensor) (crc uint32, ok bool) {
	if p.c.Torch.NoChecksum {
		return 0, false
	}
	return p.Sources[t.Source].cp.Sum(t.index)
}

// check compares the checksums of a source, as far as those of the new files will not
// show whether they are right, and makes its digest.
func (p *Plan) check(source int, s *Source) error {
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
		var rest []int
		for i := range p.Tensors {
			t := &p.Tensors[i]
			if _, ok := p.sum(t); t.Source == source && !ok {
				rest = append(rest, t.index)
			}
		}
		checked = s.fault(s.cp.CheckSumsOf(rest))
	}
	both.Wait()
	return errors.Join(checked, digested)
}

// A pair is room for parts of two tensors.
type pair [2][512 << 10]byte

var pairs = sync.Pool{New: func() any { return new(pair) }}

// verify finds out whether a tensor that was written is what it was to be.
func (p *Plan) verify(ctx context.Context, was, is *safetensors.Tensor) error {
	row := p.rows[was]
	v := verifying{row: row, was: was, is: is}
	v.want, v.summed = p.sum(row)
	if p.c.Digests {
		v.digest = sha256.New()
	}
	room := pairs.Get().(*pair)
	defer pairs.Put(room)
	for off := int64(0); off < was.Size(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(was.Size()-off, int64(len(room[0])))
		if err := v.part(room[0][:n], room[1][:n], off); err != nil {
			return err
		}
		p.tell(Rereading, n)
		off += n
	}
	return p.verified(&v)
}

// A verifying is a tensor that is read again.
type verifying struct {
	row     *Tensor
	was, is *safetensors.Tensor
	want    uint32 // the checksum that it is to have
	summed  bool   // whether there is one
	got     uint32
	digest  hash.Hash // nil if there is to be none
	odd     int64     // bytes of a BOOL that are neither 0 nor 1
}

// part reads the bytes at off. It has room for what was, and for what is.
func (v *verifying) part(x, y []byte, off int64) error {
	if err := bytesio.ReadFull(v.is, y, off); err != nil {
		return err
	}
	if v.summed {
		v.got = crc32.Update(v.got, crc32.IEEETable, y)
	} else {
		if err := bytesio.ReadFull(v.was, x, off); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("its bytes from %d on are not those of the source: that has changed meanwhile, or a disk is broken", off)
		}
	}
	if v.digest != nil {
		v.digest.Write(y)
	}
	if v.is.Dtype == safetensors.BOOL {
		v.odd += oddBools(y)
	}
	return nil
}

// verified takes note of what was found out when all was read.
func (p *Plan) verified(v *verifying) error {
	v.row.Proof = ByBytes
	if v.summed {
		v.row.Proof = ByCRC32
		if v.got != v.want {
			return p.differs(v)
		}
	}
	if v.odd > 0 {
		p.warn(fmt.Sprintf("the tensor %s, of BOOL, has %s besides 0 and 1, as in the source", wording.Quote(v.is.Name), wording.Count(v.odd, "byte")))
	}
	if v.digest != nil {
		v.row.SHA256 = v.digest.Sum(nil)
	}
	return nil
}

// differs returns the error of a tensor that has another checksum than it should. As a
// rule the source has it, too.
func (p *Plan) differs(v *verifying) error {
	s := p.Sources[v.row.Source]
	if err := s.cp.CheckSumsOf([]int{v.row.index}); err != nil {
		return s.fault(err)
	}
	return fmt.Errorf("it has the checksum %08x, and the archive says %08x: the source has changed meanwhile, or a disk is broken", v.got, v.want)
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
