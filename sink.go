// Writing the data of tensors with few system calls.

package safetensors

import (
	"io"
	"os"

	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/source"
)

const (
	// encodeBuffer is how many bytes are read and written at a time.
	encodeBuffer = 512 << 10

	// leastByKernel is the size from which on the kernel copies bytes. For fewer,
	// the system calls cost more than they save.
	leastByKernel = 1 << 20

	// mostByKernel is how many bytes the kernel copies at a time, during which it
	// cannot be interrupted. Parts end at multiples of it in the source, so file
	// systems that can share blocks do so.
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

// A run is tensors whose bytes follow each other in one source. A file that is
// written again with another header is one run: one copy by the kernel, or a
// few reads for many small tensors.
type run struct {
	tensors []*Tensor
	place
}

// runOf returns the run at the start of tensors.
func runOf(tensors []*Tensor) run {
	r := run{place: placeOf(tensors[0])}
	n := 1
	for ; r.file != nil && n < len(tensors); n++ {
		if tensors[n].Size() == 0 {
			continue // it has no bytes to be adjacent
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

// alive returns why the run cannot be read after its first n bytes, or nil. The
// kernel does not copy through the tensors, so alive reads one byte of them:
// their file may be closed, or their context canceled.
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

// short returns the error of a run that ends after its first n bytes.
func (r *run) short(n int64, err error) error {
	for _, t := range r.tensors {
		if n < t.Size() {
			return source.ShortRead(t.Name, n, t.Size(), err)
		}
		n -= t.Size()
	}
	return err
}

// A sink collects what is written into pieces of the buffer's size: many small
// tensors become few writes, and writes cover whole pages of the file.
type sink struct {
	w    io.Writer
	file filecopy.Target // w, if it is a file
	off  int64           // the number of bytes written
	buf  []byte          // bytes to be written

	own *filecopy.Source // the file last copied from, opened again; nil if that failed
	of  *os.File         // that file
}

// newSink returns a sink for a file of the given size.
func newSink(w io.Writer, size int64) *sink {
	return &sink{w: w, file: filecopy.To(w), buf: make([]byte, 0, min(size, encodeBuffer))}
}

// close closes the file that the sink has opened.
func (s *sink) close() {
	if s.own != nil {
		s.own.Close()
	}
}

// flush writes the buffer.
func (s *sink) flush() error {
	b := s.buf
	s.buf = s.buf[:0]
	return s.pass(b)
}

// pass writes b without the buffer.
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

// write writes b. It passes whole multiples of the buffer's size without
// copying.
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

// byKernel lets the kernel copy r from file to file, as far as possible, and
// returns the number of bytes copied. If it is less than the size, the caller
// reads on and finds the reason.
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

// source returns f opened again, or nil if that fails. It keeps the last one,
// since the runs of a file follow each other.
func (s *sink) source(f *os.File) *filecopy.Source {
	if s.of != f {
		s.close()
		s.own, s.of = filecopy.Open(f), f
	}
	return s.own
}
