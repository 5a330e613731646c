// The decoder: instructions out of a window onto the bytes.

package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	windowSize = 256 << 10   // bytes of the file that are held at once
	maxText    = 4096        // bytes of an argument that are looked at; longer ones are spans
	maxLine    = maxText + 1 // bytes of a line that are kept, so that a longer one is known
	fixedSize  = 9           // an opcode and the longest argument of fixed size
)

// A fault is why no instruction could be decoded.
type fault uint8

const (
	faultNone      fault = iota
	faultTruncated       // the bytes end within it
	faultOpcode          // the byte is no opcode
	faultLength          // a length that is negative, or past what any loader takes
	faultRead            // the bytes could not be read
)

// A token is one decoded instruction. Its slices are views of the window, valid
// until the next one is decoded. Fields that the opcode has no use for are stale.
type token struct {
	code    Opcode
	off     int64  // of the opcode
	num     uint64 // a binary integer, or the length that is claimed of counted bytes
	text    []byte // the argument as far as it is looked at
	text2   []byte // the second line of GLOBAL and INST
	textOff int64  // where the argument begins
	textLen int64  // how long it is
}

// A decoder reads instructions.
type decoder struct {
	r    io.ReaderAt
	size int64
	buf  []byte // the window
	base int64  // the offset of buf[0]
	i    int    // the next byte within buf
	err  error  // of reading
	frames
}

// newDecoder returns a decoder of size bytes, with a window no larger than they.
func newDecoder(r io.ReaderAt, size int64) *decoder {
	d := &decoder{r: r, size: max(size, 0)}
	d.buf = make([]byte, 0, max(min(d.size, windowSize), fixedSize))
	d.frames = frames{end: noFrame}
	return d
}

// offset returns where the next byte is.
func (d *decoder) offset() int64 { return d.base + int64(d.i) }

// left returns how many bytes there are from the next one on.
func (d *decoder) left() int64 { return d.size - d.offset() }

// seek makes the byte at off the next one.
func (d *decoder) seek(off int64) {
	if off >= d.base && off <= d.base+int64(len(d.buf)) {
		d.i = int(off - d.base)
		return
	}
	d.base, d.i, d.buf = off, 0, d.buf[:0]
}

// need makes the next n bytes stand in the window. It returns false if they do
// not, because the file ends before or a window is smaller.
func (d *decoder) need(n int) bool { return len(d.buf)-d.i >= n || d.fill(n) }

// fill moves the window so that it begins with the next byte, and fills it.
func (d *decoder) fill(n int) bool {
	if n > cap(d.buf) || d.err != nil || d.base+int64(len(d.buf)) >= d.size {
		return false
	}
	rest := copy(d.buf[:cap(d.buf)], d.buf[d.i:])
	d.base, d.i = d.offset(), 0
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
func (d *decoder) ended() fault {
	if d.err != nil {
		return faultRead
	}
	return faultTruncated
}

// next decodes one instruction.
func (d *decoder) next(t *token) fault {
	if len(d.buf)-d.i < fixedSize {
		d.fill(fixedSize)
	}
	t.off = d.base + int64(d.i)
	if d.i == len(d.buf) {
		return d.ended()
	}
	t.code = Opcode(d.buf[d.i])
	e := &opcodes[t.code]
	if e.name == "" {
		return faultOpcode
	}
	d.i++
	if t.off >= d.frames.end {
		d.frames.end = noFrame
	}
	switch e.form {
	case formNone:
		return faultNone
	case formU1: // the most frequent argument
		if d.i < len(d.buf) && t.off+2 <= d.frames.end {
			t.num = uint64(d.buf[d.i])
			d.i++
			return faultNone
		}
	case formLine, formLines:
		return d.lines(t, e.form)
	}
	return d.fixed(t, e.form)
}

// fixedSizes are the sizes of the forms' integers, in bytes.
var fixedSizes = [...]uint8{formU1: 1, formU2: 2, formU4: 4, formI4: 4, formU8: 8, formF8: 8, formCount1: 1, formCount4: 4, formCountI4: 4, formCount8: 8}

// fixed decodes an argument of fixed size, and the bytes that it counts.
func (d *decoder) fixed(t *token, f form) fault {
	n := int(fixedSizes[f])
	if d.offset()+int64(n) > d.frames.end {
		d.cross(d.offset(), t)
	}
	if !d.need(n) {
		return d.ended()
	}
	b := d.buf[d.i : d.i+n]
	switch f {
	case formU1, formCount1:
		t.num = uint64(b[0])
	case formU2:
		t.num = uint64(binary.LittleEndian.Uint16(b))
	case formU4, formCount4:
		t.num = uint64(binary.LittleEndian.Uint32(b))
	case formI4, formCountI4:
		t.num = uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	case formF8:
		t.num = binary.BigEndian.Uint64(b)
	default:
		t.num = binary.LittleEndian.Uint64(b)
	}
	d.i += n
	if f >= formCount1 {
		return d.counted(t)
	}
	return faultNone
}

// counted decodes t.num bytes. What is longer than maxText is passed over, and
// not read where it goes past the window.
func (d *decoder) counted(t *token) fault {
	n := int64(t.num)
	if n < 0 { // a negative length, or one that no machine has
		return faultLength
	}
	if n > d.frames.end-d.offset() && lossy(t.code) {
		d.cross(d.offset(), t)
	} else if n > d.frames.end-d.offset() {
		d.violate(t)
	}
	t.textOff, t.textLen = d.offset(), n
	if n > d.left() {
		return faultTruncated
	}
	head := int(min(n, maxText))
	if !d.need(head) {
		return d.ended()
	}
	t.text = d.buf[d.i : d.i+head]
	d.seek(d.offset() + n)
	return faultNone
}

// lines decodes one line, or the two of GLOBAL and INST.
func (d *decoder) lines(t *token, f form) fault {
	first := d.lineFeed(0)
	if first >= 0 && d.offset()+int64(first)+1 > d.frames.end {
		d.cross(d.offset(), t)
		first = d.lineFeed(0)
	}
	second := first
	if f == formLines && first >= 0 {
		if d.offset()+int64(first)+1 >= d.frames.end {
			d.frames.end = noFrame // the second line begins after it
		}
		second = d.lineFeed(first + 1)
		if second >= 0 && d.offset()+int64(second)+1 > d.frames.end {
			return d.torn(t, first)
		}
	}
	if second < 0 {
		return d.longLines(t, f)
	}
	t.textOff, t.textLen = d.offset(), int64(first)
	t.text = d.buf[d.i : d.i+min(first, maxLine)]
	if f == formLines {
		t.text2 = d.buf[d.i+first+1 : d.i+min(second, first+1+maxLine)]
	}
	d.i += second + 1
	return faultNone
}

// lineFeed returns how far off the first line feed is that is at least from
// bytes off, or -1 if there is none within a window.
func (d *decoder) lineFeed(from int) int {
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
func (d *decoder) longLines(t *token, f form) fault {
	heads := [2][]byte{}
	for i := range heads[:1+int(f-formLine)] {
		begin := d.offset()
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
			t.textOff, t.textLen = begin, d.offset()-begin
		}
		d.i++
	}
	t.text, t.text2 = heads[0], heads[1]
	return faultNone
}
