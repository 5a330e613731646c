// Formats without a directory: JPEG (ITU-T T.81, annex B) and GIF89a.

package picture

import (
	"bytes"
	"encoding/binary"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// The markers of JPEG that have a meaning here.
const (
	startOfImage, endOfImage, startOfScan = 0xd8, 0xd9, 0xda
	firstRestart, lastRestart             = 0xd0, 0xd7
)

// jpeg goes to the end of the marker that ends the image. Segments have a length; compressed
// data goes on to the next marker.
func (w *walk) jpeg() error {
	if err := w.skip(2, "start of a JPEG picture"); err != nil {
		return err
	}
	for scanned := false; ; {
		b, err := w.next(2, "end of the picture")
		if err != nil {
			return err
		}
		kind := b[1]
		switch {
		case b[0] != 0xff || kind == 0 || kind == startOfImage:
			return w.missing("valid segment after the last one")
		case kind == 0xff: // padding
			w.off--
			continue
		case kind == endOfImage:
			if !scanned {
				return w.missing("compressed data")
			}
			return nil
		case kind == 1 || kind >= firstRestart && kind <= lastRestart:
			continue // without a length
		}
		if b, err = w.next(2, "length of a segment"); err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint16(b))
		if n < 2 {
			return w.missing("valid length of a segment")
		}
		if err := w.skip(n-2, "rest of a segment"); err != nil {
			return err
		}
		if kind == startOfScan {
			scanned = true
			if err := w.compressed(); err != nil {
				return err
			}
		}
	}
}

// compressed goes on to the marker after compressed data.
func (w *walk) compressed() error {
	const block = 4 << 10
	for w.size-w.off >= 2 {
		if !w.spend(block) {
			return evidence.ErrBudget
		}
		b, err := w.r.At(w.off, block)
		if err != nil {
			return err
		}
		n, found := marker(b)
		if w.off += int64(n); found {
			return nil
		}
	}
	return w.missing("end of the picture")
}

// marker returns the offset of the first marker in compressed data. If there is none, it returns
// the number of bytes that are none: all, but for a last one that may begin one.
func marker(b []byte) (n int, found bool) {
	for n < len(b) {
		i := bytes.IndexByte(b[n:], 0xff)
		switch {
		case i < 0:
			return len(b), false
		case n+i+1 == len(b):
			return n + i, false
		}
		n += i
		if c := b[n+1]; c != 0 && (c < firstRestart || c > lastRestart) {
			return n, true
		}
		n += 2
	}
	return n, false
}

// gif goes to the end of the trailer. Extensions and images consist of blocks of at most 255
// bytes.
func (w *walk) gif() error {
	const signature = 6
	b, err := w.next(signature+7, "header of a GIF picture")
	if err != nil {
		return err
	}
	if err := w.colors(b[signature+4]); err != nil {
		return err
	}
	for images := 0; ; {
		b, err := w.next(1, "trailer")
		if err != nil {
			return err
		}
		switch b[0] {
		case ';':
			if images == 0 {
				return w.missing("image")
			}
			return nil
		case '!':
			if err := w.skip(1, "label of an extension"); err != nil {
				return err
			}
		case ',':
			images++
			if b, err = w.next(9, "descriptor of an image"); err != nil {
				return err
			}
			if err := w.colors(b[8]); err != nil {
				return err
			}
			if err := w.skip(1, "code size of an image"); err != nil {
				return err
			}
		default:
			return w.missing("valid block after the last one")
		}
		if err := w.blocks(); err != nil {
			return err
		}
	}
}

// colors skips a table of colors, if the flags have one.
func (w *walk) colors(flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	return w.skip(3<<(flags&7+1), "table of colors")
}

// blocks skips blocks up to the empty one.
func (w *walk) blocks() error {
	for {
		b, err := w.next(1, "end of the blocks")
		if err != nil || b[0] == 0 {
			return err
		}
		if err := w.skip(int64(b[0]), "rest of a block"); err != nil {
			return err
		}
	}
}
