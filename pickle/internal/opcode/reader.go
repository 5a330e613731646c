// The window onto the file from which instructions are read.

package opcode

import (
	"fmt"
	"io"
	"math"
)

const (
	windowSize = 256 << 10   // bytes of the file that are buffered
	MaxText    = 4096        // bytes of an argument that are buffered; longer ones become spans
	maxLine    = MaxText + 1 // bytes of a line that are kept, one more to detect longer lines
	fixedSize  = 9           // an opcode and the longest argument of fixed size
)

// A Fault is the reason why an instruction cannot be decoded.
type Fault uint8

// The faults.
const (
	FaultNone      Fault = iota // the instruction is valid
	FaultTruncated              // the data ends inside the instruction
	FaultOpcode                 // the byte is not an opcode
	FaultLength                 // the length is negative, or larger than any loader accepts
	FaultRead                   // the data cannot be read
)

// A Token is a decoded instruction. Its slices are valid until the next one is decoded. Fields that the opcode does not
// use are stale.
type Token struct {
	Code    Code
	Off     int64  // offset of the opcode
	Num     uint64 // a binary integer, or the length of a counted argument
	Text    []byte // the argument, limited to MaxText bytes
	Text2   []byte // the second line of GLOBAL and INST
	TextOff int64  // offset of the argument
	TextLen int64  // length of the argument
}

// A Reader decodes instructions.
type Reader struct {
	r    io.ReaderAt
	size int64
	buf  []byte // the window
	base int64  // the offset of buf[0]
	i    int    // index of the next byte in buf
	err  error  // the first read error
	frames
}

// NewReader returns a reader of size bytes. Its window is not larger than that.
func NewReader(r io.ReaderAt, size int64) *Reader {
	d := &Reader{r: r, size: max(size, 0)}
	d.buf = make([]byte, 0, max(min(d.size, windowSize), fixedSize))
	d.frames = frames{end: noFrame}
	return d
}

// Offset returns the offset of the next byte.
func (d *Reader) Offset() int64 { return d.base + int64(d.i) }

// Source returns the underlying reader.
func (d *Reader) Source() io.ReaderAt { return d.r }

// Size returns the total number of bytes.
func (d *Reader) Size() int64 { return d.size }

// Err returns the first read error.
func (d *Reader) Err() error { return d.err }

// Left returns the number of remaining bytes.
func (d *Reader) Left() int64 { return d.size - d.Offset() }

// GoTo moves to an offset.
func (d *Reader) GoTo(off int64) {
	if off >= d.base && off <= d.base+int64(len(d.buf)) {
		d.i = int(off - d.base)
		return
	}
	d.base, d.i, d.buf = off, 0, d.buf[:0]
}

// Start moves to the first byte of a stream, outside any frame.
func (d *Reader) Start(off int64) {
	d.GoTo(off)
	d.frames = frames{end: noFrame}
}

// Reset makes the reader read other data. It reuses the window if that is large enough.
func (d *Reader) Reset(r io.ReaderAt, size int64) {
	d.r, d.size, d.err = r, size, nil
	d.base, d.i, d.buf = 0, 0, d.buf[:0]
	if want := int(min(size, windowSize)); cap(d.buf) < want {
		d.buf = make([]byte, 0, want)
	}
}

// Peek returns the buffered bytes from the next one on: at least n, unless the data or the window is shorter.
func (d *Reader) Peek(n int) []byte {
	d.need(n)
	return d.buf[d.i:]
}

// need buffers the next n bytes. It returns false if the data ends first or n exceeds the window.
func (d *Reader) need(n int) bool { return len(d.buf)-d.i >= n || d.fill(n) }

// fill moves the window to the next byte and fills it.
func (d *Reader) fill(n int) bool {
	if n > cap(d.buf) || d.err != nil || d.base+int64(len(d.buf)) >= d.size {
		return false
	}
	rest := copy(d.buf[:cap(d.buf)], d.buf[d.i:])
	d.base, d.i = d.Offset(), 0
	want := int(min(int64(cap(d.buf)-rest), d.size-d.base-int64(rest)))
	got, err := d.r.ReadAt(d.buf[rest:rest+want], d.base+int64(rest))
	d.buf = d.buf[:rest+max(got, 0)]
	if got < want {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("pickle: data ends at %d, before its size of %d: %w",
				d.base+int64(len(d.buf)), d.size, io.ErrUnexpectedEOF)
		}
		d.err = err
	}
	return len(d.buf) >= n
}

// ended returns the fault for missing bytes.
func (d *Reader) ended() Fault {
	if d.err != nil {
		return FaultRead
	}
	return FaultTruncated
}

// noFrame is the frame end outside a frame.
const noFrame = math.MaxInt64

// frames is the current frame and the first violation.
type frames struct {
	end      int64  // end of the frame, or noFrame
	losing   bool   // read as the loader that loses bytes does
	violated int64  // offset of the first violation, 0 if there is none
	detail   string // description of the violation
}
