// Decoding of instructions.

package opcode

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

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
	t.Num = 0
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

// torn decodes two lines if the second one crosses the end of the frame. It copies the first line, which is not empty.
func (d *Reader) torn(t *Token, first int) Fault {
	t.TextOff, t.TextLen = d.Offset(), int64(first)
	head := append([]byte(nil), d.buf[d.i:d.i+min(first, maxLine)]...)
	d.i += first + 1
	d.cross(d.Offset(), t)
	second := d.lineFeed(0)
	if second < 0 {
		return d.ended()
	}
	t.Text, t.Text2 = head, d.buf[d.i:d.i+min(second, maxLine)]
	d.i += second + 1
	return FaultNone
}
