// Writing at the pace of the disk.

package atomicfile

import (
	"io"
	"os"

	"github.com/weightools/safetensors/internal/filecopy"
)

// A paced file starts the write-back of each part when it is complete, and waits when the disk
// is several parts behind. Otherwise the final sync could take minutes, without progress and
// without a way to interrupt it. The total time is the same.
type paced struct {
	file  *os.File
	dst   filecopy.Target // file
	part  int64           // pacedPart, except in tests
	size  int64           // bytes written
	begun int64           // bytes whose write-back was started
}

const (
	// pacedPart is the size of a part, in bytes, which keeps a disk busy for a while.
	pacedPart = 32 << 20

	// pacedParts is the maximum number of parts that are not on disk.
	pacedParts = 8
)

func newPaced(f *os.File) *paced { return &paced{file: f, dst: filecopy.To(f), part: pacedPart} }

// Write appends b part by part, because b may have gigabytes.
func (p *paced) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		var m int
		m, err = p.file.Write(b[n:min(int64(len(b)), int64(n)+p.part)])
		n += m
		if err == nil {
			err = p.advance(int64(m))
		}
	}
	return n, err
}

// ReadFrom appends everything from r.
func (p *paced) ReadFrom(r io.Reader) (int64, error) {
	n, err := p.file.ReadFrom(r)
	if err == nil {
		err = p.advance(n)
	}
	return n, err
}

// CopyFile implements [filecopy.Target].
func (p *paced) CopyFile(src *filecopy.Source, off, n int64) (int64, error) {
	n, err := p.dst.CopyFile(src, off, n)
	if err == nil {
		err = p.advance(n)
	}
	return n, err
}

// advance counts n more bytes. Its error concerns an earlier part: the system reports a failed
// write-back once, to the first call that waits.
func (p *paced) advance(n int64) error {
	p.size += n
	for ; p.size-p.begun >= p.part; p.begun += p.part {
		beginWriting(p.file, p.begun, p.part)
		if behind := p.begun - pacedParts*p.part; behind >= 0 {
			if err := waitWritten(p.file, behind, p.part); err != nil {
				return err
			}
		}
	}
	return nil
}
