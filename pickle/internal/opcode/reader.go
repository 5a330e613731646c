// The instruction reader, with a window onto the file.

package opcode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	windowSize = 256 << 10   // bytes of the file that are buffered
	MaxText    = 4096        // bytes of an argument that are buffered; longer ones become spans
	maxLine    = MaxText + 1 // bytes of a line that are kept, one more to detect longer lines
	fixedSize  = 9           // an opcode and the longest argument of fixed size
)

// A Fault is the reason why an instruction cannot be decoded.
type Fault uint8

const (
	FaultNone      Fault = iota
	FaultTruncated       // the data ends inside the instruction
	FaultOpcode          // the byte is not an opcode
	FaultLength          // the length is negative, or larger than any loader accepts
	FaultRead            // the data cannot be read
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
	case formU1: // the most common argument
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

// fixedSizes are the sizes of the integers in bytes, by form.
var fixedSizes = [...]uint8{
	formU1: 1, formU2: 2, formU4: 4, formI4: 4, formU8: 8, formF8: 8,
	formCount1: 1, formCount4: 4, formCountI4: 4, formCount8: 8,
}

// fixed decodes an argument of fixed size, and the bytes it counts.
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

// counted decodes t.Num bytes. It skips the part beyond MaxText without reading what is outside the window.
func (d *Reader) counted(t *Token) Fault {
	n := int64(t.Num)
	if n < 0 { // negative, or beyond any memory
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

// lines decodes one line, or the two lines of GLOBAL and INST.
func (d *Reader) lines(t *Token, f form) Fault {
	first := d.lineFeed(0)
	if first >= 0 && d.Offset()+int64(first)+1 > d.frames.end {
		d.cross(d.Offset(), t)
		first = d.lineFeed(0)
	}
	second := first
	if f == formLines && first >= 0 {
		if d.Offset()+int64(first)+1 >= d.frames.end {
			d.frames.end = noFrame // the second line starts after the frame
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

// lineFeed returns the distance to the first line feed at or after from, or -1 if there is none within a window.
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

// longLines decodes lines that exceed the window or are not terminated. No valid name or number is that long, so only
// their heads are kept.
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

// Describe describes a fault.
func (d *Reader) Describe(f Fault, t *Token) string {
	switch f {
	case FaultTruncated:
		if t.Off >= d.size {
			return fmt.Sprintf("the data ends at %d without STOP", d.size)
		}
		return fmt.Sprintf("%s at %d is truncated by the end of the data at %d", t.Code, t.Off, d.size)
	case FaultLength:
		return fmt.Sprintf("%s at %d has invalid length %d", t.Code, t.Off, int64(t.Num))
	case FaultRead:
		return d.err.Error()
	}
	return fmt.Sprintf("byte 0x%02x at %d is not an opcode", byte(t.Code), t.Off)
}
