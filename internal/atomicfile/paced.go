// Writing in step with the disk.

package atomicfile

import (
	"io"
	"os"

	"github.com/weightools/safetensors/internal/filecopy"
)

// A paced file is written from its start on, and will be synced. It does not leave
// that to the end, when gigabytes may wait in memory and nobody can be told how long it
// takes, nor interrupt it: the disk is told to begin with each part, and is waited for
// when it falls some parts behind. All of it is on the disk no later for that.
type paced struct {
	file  *os.File
	dst   filecopy.Target // file
	part  int64           // pacedPart, but in tests
	size  int64           // bytes written
	begun int64           // bytes that the disk was told to write
}

const (
	// pacedPart is how many bytes the disk is told to write at once: enough to keep
	// any disk busy for a while.
	pacedPart = 32 << 20

	// pacedParts is how many parts the disk may be behind.
	pacedParts = 8
)

func newPaced(f *os.File) *paced { return &paced{file: f, dst: filecopy.To(f), part: pacedPart} }

// Write appends b, part by part: it may be a tensor of gigabytes.
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

// ReadFrom appends what r has.
func (p *paced) ReadFrom(r io.Reader) (int64, error) {
	n, err := p.file.ReadFrom(r)
	if err == nil {
		err = p.advance(n)
	}
	return n, err
}

// CopyFile appends a part of a file. It makes a paced file a [filecopy.Target].
func (p *paced) CopyFile(src *filecopy.Source, off, n int64) (int64, error) {
	n, err := p.dst.CopyFile(src, off, n)
	if err == nil {
		err = p.advance(n)
	}
	return n, err
}

// advance takes note of n more bytes. Its error is that of writing those of a while
// ago: the system tells it once, to whoever waits first.
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
