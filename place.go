// Where the bytes of a tensor are.

package safetensors

import (
	"io"
	"os"

	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/source"
)

// A place is where bytes are.
type place struct {
	src  io.ReaderAt
	at   Span     // the bytes in src
	file *os.File // the file with these bytes at the same offsets, or nil
}

// placeOf returns what t reads from after following sections and slices:
// usually a file.
func placeOf(t *Tensor) place {
	p := place{src: t.ReaderAt, at: Span{0, t.Size()}}
	for {
		var outer io.ReaderAt
		var begin, size int64 // of p.src in outer
		switch s := p.src.(type) {
		case *source.Section:
			outer, begin, size = s.R, s.Begin, s.Size
		case *Tensor:
			outer, size = s.ReaderAt, s.Size()
		case *io.SectionReader:
			// Not any type with a method Outer: it may embed an io.SectionReader and
			// change the bytes.
			outer, begin, size = s.Outer()
		case *os.File:
			p.file = s
			return p
		case filecopy.Placed:
			if f, size := s.ReadsFile(); p.at.End <= size {
				p.file = f
			}
			return p
		default:
			return p
		}
		if p.at.End > size {
			return p
		}
		p.src, p.at = outer, p.at.shift(begin)
	}
}
