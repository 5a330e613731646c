// The data on its way into a file: each tensor read once, through one buffer.

package safetensors

import (
	"io"
	"os"
	"runtime"

	"github.com/weightools/safetensors/internal/atomicfile"
)

const (
	// encodeBuffer is how many bytes are read, and written, at a time: large
	// enough for disks, small enough for caches.
	encodeBuffer = 1 << 20

	// leastByKernel is from how many bytes on their copying is left to the
	// system. Below, it costs more to ask.
	leastByKernel = 1 << 20
)

// write writes the file to w.
func (l *layout) write(w io.Writer) error {
	s := newSink(w, l.size)
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
	src     io.ReaderAt
	at      Span // which of its bytes
}

// runOf returns the run with which tensors begin.
func runOf(tensors []*Tensor) run {
	src, at := sourceOf(tensors[0])
	n := 1
	if file, ok := src.(*os.File); ok {
		for ; n < len(tensors); n++ {
			src, next := sourceOf(tensors[n])
			if f, ok := src.(*os.File); !ok || f != file || next.Begin != at.End {
				break
			}
			at.End = next.End
		}
	}
	return run{tensors[:n], src, at}
}

// sourceOf returns what t reads from in the end, and which of its bytes: behind
// the tensor of a file is the file, and behind a slice of it, too.
func sourceOf(t *Tensor) (io.ReaderAt, Span) {
	src, at := t.ReaderAt, Span{0, t.Size()}
	for {
		s, ok := src.(*section)
		if !ok || at.End > s.at.Len() {
			return src, at
		}
		src, at = s.r, at.shift(s.at.Begin)
	}
}

// short returns the error of a run that ends after its first n bytes, or cannot
// be read further.
func (r *run) short(n int64, err error) error {
	for _, t := range r.tensors {
		if n < t.Size() {
			return shortRead(t.Name, n, t.Size(), err)
		}
		n -= t.Size()
	}
	return err
}

// A sink gathers what is written into pieces of the buffer's size, so that many
// small tensors are few writes.
type sink struct {
	w    io.Writer
	file io.ReaderFrom // w, if it is a file
	buf  []byte        // what has yet to be written
}

// newSink returns a sink for a file of the given size.
func newSink(w io.Writer, size int64) *sink {
	s := &sink{w: w, buf: make([]byte, 0, min(size, encodeBuffer))}
	switch w := w.(type) {
	case *os.File:
		s.file = w
	case *atomicfile.File:
		s.file = w
	}
	return s
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
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// write writes b.
func (s *sink) write(b []byte) error {
	if len(b) > cap(s.buf)-len(s.buf) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if len(b) > cap(s.buf) {
		return s.pass(b)
	}
	s.buf = append(s.buf, b...)
	return nil
}

// copy writes the bytes of r.
func (s *sink) copy(r run) error {
	size := r.at.Len()
	if m, ok := r.src.(memory); ok && r.at.End <= int64(len(m)) {
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
//
// Copying so is about as fast as by hand, but file systems that can share the
// blocks of two files copy nothing, and those of a network only on the server.
func (s *sink) byKernel(r run) (int64, error) {
	file, ok := r.src.(*os.File)
	if !ok || s.file == nil || r.at.Len() < leastByKernel || runtime.GOOS != "linux" && runtime.GOOS != "freebsd" {
		return 0, nil
	}
	// The system copies from a file's position, and that of this one is for all
	// who use it: a second one has its own.
	own := reopen(file)
	if own == nil {
		return 0, nil
	}
	defer own.Close()
	if _, err := own.Seek(r.at.Begin, io.SeekStart); err != nil {
		return 0, nil
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	return s.file.ReadFrom(io.LimitReader(own, r.at.Len()))
}

// reopen opens the file that f is once more, or returns nil if its name has
// become that of another.
func reopen(f *os.File) *os.File {
	is, err := f.Stat()
	if err != nil {
		return nil
	}
	// Asked before it is opened, since to open a pipe might take forever.
	if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(is, now) {
		return nil
	}
	own, err := os.Open(f.Name())
	if err != nil {
		return nil
	}
	if now, err := own.Stat(); err != nil || !os.SameFile(is, now) {
		own.Close()
		return nil
	}
	return own
}
