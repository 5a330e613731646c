// Frames, and the loader that loses bytes at their ends.

package pickle

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

type frames struct {
	end      int64  // where the frame ends, or noFrame
	losing   bool   // whether to read as the loader does that loses bytes
	violated int64  // where an instruction goes across a frame's end, 0 if none does
	detail   string // and how
}

// lossy is whether the loader reads the argument of c in one piece, so that it
// loses bytes. It reads bytes and bytearrays in two.
func lossy(c Opcode) bool {
	switch c {
	case opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return false
	}
	return true
}

// cross notes that t needs more bytes from off on than are left of the frame,
// and goes where the loader would read them.
func (d *decoder) cross(off int64, t *token) {
	end := d.frames.end
	d.frames.end = noFrame
	if off >= end {
		return
	}
	d.frames.end = end
	d.violate(t)
	if d.losing {
		d.seek(end)
	}
}

// violate notes that t goes across the frame's end.
func (d *decoder) violate(t *token) {
	if d.offset() < d.frames.end {
		d.note(t, fmt.Sprintf("the %s at %d goes across the end of its frame at %d", t.code, t.off, d.frames.end))
	}
	d.frames.end = noFrame
}

// note keeps the first violation: the others follow from it more often than not.
func (d *decoder) note(t *token, detail string) {
	if d.frames.detail == "" {
		d.frames.violated, d.frames.detail = t.off, detail
	}
}

// torn decodes the two lines of which the second goes across the frame's end.
// The first is longer than nothing, and is kept by copying it.
func (d *decoder) torn(t *token, first int) fault {
	t.textOff, t.textLen = d.offset(), int64(first)
	head := append([]byte(nil), d.buf[d.i:d.i+min(first, maxLine)]...)
	d.i += first + 1
	d.cross(d.offset(), t)
	second := d.lineFeed(0)
	if second < 0 {
		return d.ended()
	}
	t.text, t.text2 = head, d.buf[d.i:d.i+min(second, maxLine)]
	d.i += second + 1
	return faultNone
}

// enter begins the frame that the FRAME t says, and returns false if the bytes
// end before it does.
func (d *decoder) enter(t *token) bool {
	begin := d.offset()
	n := int64(t.num)
	if d.frames.end != noFrame && begin < d.frames.end {
		inside := n >= 0 && n <= d.frames.end-begin
		d.note(t, fmt.Sprintf("the FRAME at %d begins within the frame that ends at %d", t.off, d.frames.end))
		if d.losing && inside {
			return true // the loader has it already, and the frame around it goes on
		}
		if d.losing {
			d.seek(d.frames.end)
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
