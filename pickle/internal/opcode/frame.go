// Frames, and the loader that loses bytes at their ends.

package opcode

import (
	"fmt"
	"math"
)

// The opcode FRAME says how many bytes follow that a loader may fetch at once.
// An instruction that goes across a frame's end breaks the protocol, and what
// happens then depends on the loader. The one in Python refuses. The one in C
// that loads from bytes takes frames for hints. But the one in C that loads from
// a file throws away what is left of a frame that is too short for an argument,
// and reads the argument from behind the frame (CPython issue 148854, versions
// before 3.13.15 and 3.14.7). So one file can be two programs; whoever judges
// it has to read it both ways.

// noFrame is the end of no frame.
const noFrame = math.MaxInt64

// frames are the frame around the next byte, and what was wrong with those before.
type frames struct {
	end      int64  // where the frame ends, or noFrame
	losing   bool   // whether to read as the loader does that loses bytes
	violated int64  // where an instruction goes across a frame's end, 0 if none does
	detail   string // and how
}

// lossy is whether the loader reads the argument of c in one piece, so that it
// loses bytes. It reads bytes and bytearrays in two.
func lossy(c Code) bool {
	switch c {
	case BinBytes, ShortBinBytes, BinBytes8, ByteArray8:
		return false
	}
	return true
}

// cross notes that t needs more bytes from off on than are left of the frame,
// and goes where the loader would read them.
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

// violate notes that t goes across the frame's end.
func (d *Reader) violate(t *Token) {
	if d.Offset() < d.frames.end {
		d.note(t, fmt.Sprintf("the %s at %d goes across the end of its frame at %d", t.Code, t.Off, d.frames.end))
	}
	d.frames.end = noFrame
}

// note keeps the first violation: the others follow from it more often than not.
func (d *Reader) note(t *Token, detail string) {
	if d.frames.detail == "" {
		d.frames.violated, d.frames.detail = t.Off, detail
	}
}

// Crossed returns where an instruction first goes across a frame's end, and says how; ""
// if none does.
func (d *Reader) Crossed() (off int64, how string) { return d.frames.violated, d.frames.detail }

// Lose makes the reader read as the loader does that loses bytes, until the next start.
func (d *Reader) Lose() { d.frames.losing = true }

// Losing is whether it does.
func (d *Reader) Losing() bool { return d.frames.losing }

// torn decodes the two lines of which the second goes across the frame's end.
// The first is longer than nothing, and is kept by copying it.
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

// Enter begins the frame that the FRAME t says, and returns false if the bytes
// end before it does.
func (d *Reader) Enter(t *Token) bool {
	begin := d.Offset()
	n := int64(t.Num)
	if d.frames.end != noFrame && begin < d.frames.end {
		inside := n >= 0 && n <= d.frames.end-begin
		d.note(t, fmt.Sprintf("the FRAME at %d begins within the frame that ends at %d", t.Off, d.frames.end))
		if d.losing && inside {
			return true // the loader has it already, and the frame around it goes on
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
