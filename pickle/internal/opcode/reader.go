// The reader: instructions out of a window onto the bytes.

package opcode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	windowSize = 256 << 10   // bytes of the file that are held at once
	MaxText    = 4096        // bytes of an argument that are looked at; longer ones are spans
	maxLine    = MaxText + 1 // bytes of a line that are kept, so that a longer one is known
	fixedSize  = 9           // an opcode and the longest argument of fixed size
)

// A Fault is why no instruction could be decoded.
type Fault uint8

const (
	FaultNone      Fault = iota
	FaultTruncated       // the bytes end within it
	FaultOpcode          // the byte is no opcode
	FaultLength          // a length that is negative, or past what any loader takes
	FaultRead            // the bytes could not be read
)

// A Token is one decoded instruction. Its slices are views of the window, valid
// until the next one is decoded. Fields that the opcode has no use for are stale.
type Token struct {
	Code    Code
	Off     int64  // of the opcode
	Num     uint64 // a binary integer, or the length that is claimed of counted bytes
	Text    []byte // the argument as far as it is looked at
	Text2   []byte // the second line of GLOBAL and INST
	TextOff int64  // where the argument begins
	TextLen int64  // how long it is
}

// A Reader reads instructions.
type Reader struct {
	r    io.ReaderAt
	size int64
	buf  []byte // the window
	base int64  // the offset of buf[0]
	i    int    // the next byte within buf
	err  error  // of reading
	frames
}

// NewReader returns a reader of size bytes, with a window no larger than they.
func NewReader(r io.ReaderAt, size int64) *Reader {
	d := &Reader{r: r, size: max(size, 0)}
	d.buf = make([]byte, 0, max(min(d.size, windowSize), fixedSize))
	d.frames = frames{end: noFrame}
	return d
}

// Offset returns where the next byte is.
func (d *Reader) Offset() int64 { return d.base + int64(d.i) }

// Source returns what the bytes are read from.
func (d *Reader) Source() io.ReaderAt { return d.r }

// Size returns how many bytes there are.
func (d *Reader) Size() int64 { return d.size }

// Err returns the error of reading, nil if there was none.
func (d *Reader) Err() error { return d.err }

// Left returns how many bytes there are from the next one on.
func (d *Reader) Left() int64 { return d.size - d.Offset() }

// GoTo makes the byte at off the next one.
func (d *Reader) GoTo(off int64) {
	if off >= d.base && off <= d.base+int64(len(d.buf)) {
		d.i = int(off - d.base)
		return
	}
	d.base, d.i, d.buf = off, 0, d.buf[:0]
}

// Start makes the byte at off the first of a stream, around which there is no frame.
func (d *Reader) Start(off int64) {
	d.GoTo(off)
	d.frames = frames{end: noFrame}
}

// Reset makes the reader one of other bytes. The window is kept if it is large enough.
func (d *Reader) Reset(r io.ReaderAt, size int64) {
	d.r, d.size, d.err = r, size, nil
	d.base, d.i, d.buf = 0, 0, d.buf[:0]
	if want := int(min(size, windowSize)); cap(d.buf) < want {
		d.buf = make([]byte, 0, want)
	}
}

// Peek returns the bytes from the next one on that stand in the window: at least n,
// if there are as many and a window has place for them.
func (d *Reader) Peek(n int) []byte {
	d.need(n)
	return d.buf[d.i:]
}

// need makes the next n bytes stand in the window. It returns false if they do
// not, because the file ends before or a window is smaller.
func (d *Reader) need(n int) bool { return len(d.buf)-d.i >= n || d.fill(n) }

// fill moves the window so that it begins with the next byte, and fills it.
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
			err = fmt.Errorf("pickle: the bytes ended at %d, before their size of %d: %w", d.base+int64(len(d.buf)), d.size, io.ErrUnexpectedEOF)
		}
		d.err = err
	}
	return len(d.buf) >= n
}

// ended returns the fault of bytes that are not there.
func (d *Reader) ended() Fault {
	if d.err != nil {
		return FaultRead
	}
	return FaultTruncated
}

// Next decodes one instruction.
func (d *Reader) Next(t *Token) Fault {
	if len(d.buf)-d.i < fixedSize {
		d.fill(fixedSize)
	}
	t.Off = d.base + int64(d.i)
	if d.i == len(d.buf) {
		return d.ended()
	}
	t.Code = Code(d.buf[d.i])
	e := &table[t.Code]
	if e.name == "" {
		return FaultOpcode
	}
	d.i++
	if t.Off >= d.frames.end {
		d.frames.end = noFrame
	}
	switch e.form {
	case formNone:
		return FaultNone
	case formU1: // the most frequent argument
		if d.i < len(d.buf) && t.Off+2 <= d.frames.end {
			t.Num = uint64(d.buf[d.i])
			d.i++
			return FaultNone
		}
	case formLine, formLines:
		return d.lines(t, e.form)
	}
	return d.fixed(t, e.form)
}

// fixedSizes are the sizes of the forms' integers, in bytes.
var fixedSizes = [...]uint8{formU1: 1, formU2: 2, formU4: 4, formI4: 4, formU8: 8, formF8: 8, formCount1: 1, formCount4: 4, formCountI4: 4, formCount8: 8}

// fixed decodes an argument of fixed size, and the bytes that it counts.
func (d *Reader) fixed(t *Token, f form) Fault {
	n := int(fixedSizes[f])
	if d.Offset()+int64(n) > d.frames.end {
		d.cross(d.Offset(), t)
	}
	if !d.need(n) {
		return d.ended()
	}
	b := d.buf[d.i : d.i+n]
	switch f {
	case formU1, formCount1:
		t.Num = uint64(b[0])
	case formU2:
		t.Num = uint64(binary.LittleEndian.Uint16(b))
	case formU4, formCount4:
		t.Num = uint64(binary.LittleEndian.Uint32(b))
	case formI4, formCountI4:
		t.Num = uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	case formF8:
		t.Num = binary.BigEndian.Uint64(b)
	default:
		t.Num = binary.LittleEndian.Uint64(b)
	}
	d.i += n
	if f >= formCount1 {
		return d.counted(t)
	}
	return FaultNone
}

// Counted decodes t.num bytes. What is longer than maxText is passed over, and
// not read where it goes past the window.
func (d *Reader) counted(t *Token) Fault {
	n := int64(t.Num)
	if n < 0 { // a negative length, or one that no machine has
		return FaultLength
	}
	if n > d.frames.end-d.Offset() && lossy(t.Code) {
		d.cross(d.Offset(), t)
	} else if n > d.frames.end-d.Offset() {
		d.violate(t)
	}
	t.TextOff, t.TextLen = d.Offset(), n
	if n > d.Left() {
		return FaultTruncated
	}
	head := int(min(n, MaxText))
	if !d.need(head) {
		return d.ended()
	}
	t.Text = d.buf[d.i : d.i+head]
	d.GoTo(d.Offset() + n)
	return FaultNone
}

// lines decodes one line, or the two of GLOBAL and INST.
func (d *Reader) lines(t *Token, f form) Fault {
	first := d.lineFeed(0)
	if first >= 0 && d.Offset()+int64(first)+1 > d.frames.end {
		d.cross(d.Offset(), t)
		first = d.lineFeed(0)
	}
	second := first
	if f == formLines && first >= 0 {
		if d.Offset()+int64(first)+1 >= d.frames.end {
			d.frames.end = noFrame // the second line begins after it
		}
		second = d.lineFeed(first + 1)
		if second >= 0 && d.Offset()+int64(second)+1 > d.frames.end {
			return d.torn(t, first)
		}
	}
	if second < 0 {
		return d.longLines(t, f)
	}
	t.TextOff, t.TextLen = d.Offset(), int64(first)
	t.Text = d.buf[d.i : d.i+min(first, maxLine)]
	if f == formLines {
		t.Text2 = d.buf[d.i+first+1 : d.i+min(second, first+1+maxLine)]
	}
	d.i += second + 1
	return FaultNone
}

// lineFeed returns how far off the first line feed is that is at least from
// bytes off, or -1 if there is none within a window.
func (d *Reader) lineFeed(from int) int {
	for {
		if d.i+from <= len(d.buf) {
			if n := bytes.IndexByte(d.buf[d.i+from:], '\n'); n >= 0 {
				return from + n
			}
		}
		have := len(d.buf) - d.i
		if !d.need(have + 1) {
			return -1
		}
		from = max(from, have)
	}
}

// longLines decodes lines that do not fit a window, or that have no end. No
// name and no number is as long, so only their heads are kept.
func (d *Reader) longLines(t *Token, f form) Fault {
	heads := [2][]byte{}
	for i := range heads[:1+int(f-formLine)] {
		begin := d.Offset()
		heads[i] = []byte{}
		for d.need(1) {
			chunk := d.buf[d.i:]
			n := bytes.IndexByte(chunk, '\n')
			if n >= 0 {
				chunk = chunk[:n]
			}
			heads[i] = append(heads[i], chunk[:min(len(chunk), maxLine-len(heads[i]))]...)
			d.i += len(chunk)
			if n >= 0 {
				break
			}
		}
		if !d.need(1) {
			return d.ended()
		}
		if i == 0 {
			t.TextOff, t.TextLen = begin, d.Offset()-begin
		}
		d.i++
	}
	t.Text, t.Text2 = heads[0], heads[1]
	return FaultNone
}

// Describe returns a fault as part of a message.
func (d *Reader) Describe(f Fault, t *Token) string {
	switch f {
	case FaultTruncated:
		if t.Off >= d.size {
			return fmt.Sprintf("the bytes end at %d, before a STOP", d.size)
		}
		return fmt.Sprintf("the %s at %d is cut off by the end at %d", t.Code, t.Off, d.size)
	case FaultLength:
		return fmt.Sprintf("the %s at %d is said to have %d bytes", t.Code, t.Off, int64(t.Num))
	case FaultRead:
		return d.err.Error()
	}
	return fmt.Sprintf("the byte 0x%02x at %d is no opcode", byte(t.Code), t.Off)
}
