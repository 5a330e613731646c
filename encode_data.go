// The data on its way into a file: each tensor read once, through one buffer.

package safetensors

import (
	"io"
	"os"

	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/source"
)

const (
	// encodeBuffer is how many bytes are read, and written, at a time: large
	// enough for disks, small enough for caches.
	encodeBuffer = 512 << 10

	// leastByKernel is from how many bytes on their copying is left to the
	// system. Below, it costs more to ask.
	leastByKernel = 1 << 20

	// mostByKernel is how many bytes the system is asked to copy at a time. It
	// cannot be interrupted meanwhile. Parts end at multiples of it in the source,
	// so that after the first one blocks can be shared, if they can be at all.
	mostByKernel = 64 << 20
)

// write writes the file to w.
func (l *layout) write(w io.Writer) error {
	s := newSink(w, l.size)
	defer s.close()
	if err := s.write(l.start); err != nil {
		return err
	}
	for rest := l.tensors; len(rest) > 0; {
		r := runOf(rest)
		if err := s.copy(r); err != nil {
			return err
		}
		rest = rest[len(r.tensors):]
	}
	return s.flush()
}

// A run is tensors whose bytes stand one after the other in one source. A file
// that is written again as it was, with another header, is one run: for the
// system it is one copy, and for a model of many small tensors a few reads.
type run struct {
	tensors []*Tensor
	place
}

// A place is where bytes come from.
type place struct {
	src  io.ReaderAt
	at   Span     // which of its bytes
	file *os.File // in which they lie at the same offsets; nil if in none
}

// runOf returns the run with which tensors begin.
func runOf(tensors []*Tensor) run {
	r := run{place: placeOf(tensors[0])}
	n := 1
	for ; r.file != nil && n < len(tensors); n++ {
		if tensors[n].Size() == 0 {
			continue // nothing of it has to be next to anything
		}
		next := placeOf(tensors[n])
		if next.file != r.file || next.at.Begin != r.at.End {
			break
		}
		r.at.End = next.at.End
	}
	r.tensors = tensors[:n]
	return r
}

// placeOf returns what t reads from in the end: behind the tensor of a file is the
// file, and behind a slice of it, too.
func placeOf(t *Tensor) place {
	p := place{src: t.ReaderAt, at: Span{0, t.Size()}}
	for {
		var outer io.ReaderAt
		var begin, size int64 // of what p.src is in that
		switch s := p.src.(type) {
		case *source.Section:
			outer, begin, size = s.R, s.Begin, s.Size
		case *Tensor:
			outer, size = s.ReaderAt, s.Size()
		case *io.SectionReader:
			// Not whatever has a method Outer: it may have that by embedding one of
			// these, and change the bytes on the way.
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

// alive returns why the run cannot be read on after its first n bytes, or nil. What
// the system copies is not read by way of the tensors, so they are asked for a byte:
// their file may be closed, or their context done.
func (r *run) alive(n int64) error {
	var b [1]byte
	for _, t := range r.tensors {
		if n < t.Size() {
			if got, err := t.ReadAt(b[:], n); got < len(b) {
				return source.ShortRead(t.Name, n, t.Size(), err)
			}
			return nil
		}
		n -= t.Size()
	}
	return nil
}

// short returns the error of a run that ends after its first n bytes, or cannot
// be read further.
func (r *run) short(n int64, err error) error {
	for _, t := range r.tensors {
		if n < t.Size() {
			return source.ShortRead(t.Name, n, t.Size(), err)
		}
		n -= t.Size()
	}
	return err
}

// A sink gathers what is written into pieces of the buffer's size, so that many
// small tensors are few writes, and that each write covers whole pages of a file.
type sink struct {
	w    io.Writer
	file filecopy.Target // w, if it is a file
	off  int64           // how many bytes were written
	buf  []byte          // what has yet to be

	own *filecopy.Source // the file last copied from, opened once more; nil if it cannot be
	of  *os.File         // which that is
}

// newSink returns a sink for a file of the given size.
func newSink(w io.Writer, size int64) *sink {
	return &sink{w: w, file: filecopy.To(w), buf: make([]byte, 0, min(size, encodeBuffer))}
}

// close closes what the sink has opened.
func (s *sink) close() {
	if s.own != nil {
		s.own.Close()
	}
}

// flush writes what is in the buffer.
func (s *sink) flush() error {
	b := s.buf
	s.buf = s.buf[:0]
	return s.pass(b)
}

// pass writes b past the buffer.
func (s *sink) pass(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := s.w.Write(b)
	s.off += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// write writes b. What fills several buffers goes past them.
func (s *sink) write(b []byte) error {
	for len(b) > 0 {
		if len(s.buf) == 0 && len(b) > cap(s.buf) {
			whole := len(b) - len(b)%cap(s.buf)
			if err := s.pass(b[:whole]); err != nil {
				return err
			}
			b = b[whole:]
			continue
		}
		n := min(len(b), cap(s.buf)-len(s.buf))
		s.buf = append(s.buf, b[:n]...)
		b = b[n:]
		if len(s.buf) == cap(s.buf) {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// copy writes the bytes of r.
func (s *sink) copy(r run) error {
	size := r.at.Len()
	if m, ok := r.src.(source.Memory); ok && r.at.End <= int64(len(m)) {
		return s.write(m[r.at.Begin:r.at.End])
	}
	off, err := s.byKernel(r)
	if err != nil {
		return err
	}
	for off < size {
		if len(s.buf) == cap(s.buf) {
			if err := s.flush(); err != nil {
				return err
			}
		}
		begin := len(s.buf)
		part := s.buf[begin : begin+int(min(size-off, int64(cap(s.buf)-begin)))]
		n, err := r.src.ReadAt(part, r.at.Begin+off)
		if n < len(part) {
			return r.short(off+int64(n), err)
		}
		s.buf = s.buf[:begin+len(part)]
		off += int64(len(part))
	}
	return nil
}

// byKernel has the system copy r from file to file, as far as it can, and
// returns how many bytes it has copied. That may be none; if it is less than
// there should be, the reason will be met by whoever reads on.
func (s *sink) byKernel(r run) (off int64, err error) {
	size := r.at.Len()
	if r.file == nil || s.file == nil || size < leastByKernel {
		return 0, nil
	}
	own := s.source(r.file)
	if own == nil || !own.Suits(r.at.Begin, s.off+int64(len(s.buf))) {
		return 0, nil
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	for off < size {
		if err := r.alive(off); err != nil {
			return off, err
		}
		begin := r.at.Begin + off
		part := min(size-off, mostByKernel-begin%mostByKernel)
		n, err := s.file.CopyFile(own, begin, part)
		off, s.off = off+n, s.off+n
		if err != nil || n < part {
			return off, err
		}
	}
	return off, nil
}

// source returns a file opened once more, or nil if it cannot be. The last one is
// kept: the runs of a file come one after the other.
func (s *sink) source(f *os.File) *filecopy.Source {
	if s.of != f {
		s.close()
		s.own, s.of = filecopy.Open(f), f
	}
	return s.own
}
