// Frames, and loaders that lose bytes at the end of a frame.

package opcode

import "fmt"

// FRAME announces how many of the following bytes a loader may fetch at once. An instruction that crosses the end of a
// frame violates the protocol, and loaders disagree about it. The Python loader refuses. The C loader for bytes objects
// ignores frames. The C loader for files (CPython issue 148854, before 3.13.15 and 3.14.7) drops the rest of a frame
// that is too short for an argument, and reads the argument after the frame. One file can therefore be two programs,
// and a scanner must read it both ways.

// lossy reports whether the loader reads the argument of c in one piece and therefore loses bytes. It reads the length
// and the data of bytes and bytearrays separately.
func lossy(c Code) bool {
	switch c {
	case BinBytes, ShortBinBytes, BinBytes8, ByteArray8:
		return false
	}
	return true
}

// cross records that t needs more bytes from off than the frame has left, and moves to where the loader would read
// them.
func (d *Reader) cross(off int64, t *Token) {
	end := d.frames.end
	d.frames.end = noFrame
	if off >= end {
		return
	}
	d.frames.end = end
	d.violate(t)
	if d.losing {
		d.GoTo(end)
	}
}

// violate records that t crosses the end of the frame.
func (d *Reader) violate(t *Token) {
	if d.Offset() < d.frames.end {
		d.note(t, fmt.Sprintf("%s at %d crosses the end of its frame at %d", t.Code, t.Off, d.frames.end))
	}
	d.frames.end = noFrame
}

// note records the first violation. Later ones are usually consequences of it.
func (d *Reader) note(t *Token, detail string) {
	if d.frames.detail == "" {
		d.frames.violated, d.frames.detail = t.Off, detail
	}
}

// Crossed returns the offset and description of the first instruction that crosses the end of a frame; how is "" if
// there is none.
func (d *Reader) Crossed() (off int64, how string) { return d.frames.violated, d.frames.detail }

// Lose makes the reader read as the loader that loses bytes does, until the next Start.
func (d *Reader) Lose() { d.frames.losing = true }

// Losing reports whether Lose is in effect.
func (d *Reader) Losing() bool { return d.frames.losing }

// Enter starts the frame of a FRAME instruction. It returns false if the data ends before the frame does.
func (d *Reader) Enter(t *Token) bool {
	begin := d.Offset()
	n := int64(t.Num)
	if d.frames.end != noFrame && begin < d.frames.end {
		inside := n >= 0 && n <= d.frames.end-begin
		d.note(t, fmt.Sprintf("FRAME at %d starts inside the frame that ends at %d", t.Off, d.frames.end))
		if d.losing && inside {
			return true // the loader has buffered it already, and the outer frame continues
		}
		if d.losing {
			d.GoTo(d.frames.end)
			begin = d.frames.end
		}
	}
	if n < 0 || n > d.size-begin {
		d.frames.end = noFrame
		return false
	}
	d.frames.end = begin + n
	return true
}

// Leave ends the frame at a STOP. A loader that reads from a file has buffered the rest of the frame, so the next read
// from the file continues after it; other loaders continue after the STOP.
func (d *Reader) Leave(t *Token) {
	if !d.InFrame() {
		return
	}
	d.note(t, fmt.Sprintf("%s at %d comes before the end of its frame at %d", t.Code, t.Off, d.frames.end))
	if d.losing {
		d.GoTo(d.frames.end)
	}
	d.frames.end = noFrame
}

// InFrame reports whether the frame of the last instruction has bytes left.
func (d *Reader) InFrame() bool { return d.frames.end != noFrame && d.Offset() < d.frames.end }
