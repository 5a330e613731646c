// Archives that are cut off: what follows from a missing end, and what does not.

package zipwalk

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// followsFromCut marks the faults of any archive whose end is missing: members without a directory, and the first part
// of a record.
func (w *walker) followsFromCut() error {
	record := false
	last := int64(-1)
	if n := len(w.Gaps); n > 0 && w.Gaps[n-1].End == w.size {
		last = w.Gaps[n-1].Begin
		b, err := w.window.At(last, len("PK"))
		if err != nil {
			return err
		}
		record = strings.HasPrefix("PK", string(b))
	}
	for i := range w.Faults {
		f := &w.Faults[i]
		f.Cut = f.Kind == Orphan || record && f.Offset == last && (f.Kind == UnlistedData || f.Kind == PrefixData)
	}
	return nil
}

// outside removes end records of archives that are members, if the archive around them has no end. Their offsets are
// relative to the member, and the headers of the archive around them lead from one content to the next.
func (w *walker) outside(ends []int64) ([]int64, error) {
	var err error
	return slices.DeleteFunc(ends, func(off int64) bool {
		if err != nil {
			return false
		}
		var b []byte
		if b, err = w.near(off, endSize); err != nil || len(b) < endSize {
			return false
		}
		// Readers that look for the directory before the record count offsets from here.
		base := off - int64(u32(b, 12)) - int64(u32(b, 16))
		if b, err = w.near(int64(u32(b, 16)), len(sigCentral)); err != nil || string(b) == sigCentral {
			return false
		}
		if w.contents == nil {
			err = w.chain()
		}
		return err == nil && base > 0 && len(w.contents.Holes(extent.Span{Begin: base, End: off + 1})) == 0
	}), err
}

// near returns the n bytes at off, or fewer at the end of the file. It prefers the end of the file, which was read.
func (w *walker) near(off int64, n int) ([]byte, error) {
	if begin := w.size - int64(len(w.tail)); off >= begin && off <= w.size-int64(n) {
		return w.tail[off-begin:][:n], nil
	}
	return w.window.At(off, n)
}

// chain finds the contents of an archive that begins at byte 0 without its directory, up to one of an unknown size.
func (w *walker) chain() error {
	w.contents = new(extent.Set)
	for at, n := int64(0), 0; n < w.opts.Members; n++ {
		e, err := w.readLocal(at)
		if e == nil || e.sizesUnknown || err != nil {
			return err
		}
		content := extent.Span{Begin: at + e.length, End: at + e.length + saturate(e.packed)}
		w.contents.Add(content.Within(extent.Span{End: w.size}))
		at = content.End
		for _, size := range [...]int64{0, 12, 16, 20, 24} { // of a data descriptor
			if ok, err := w.isAt(sigLocal, content.End+size); err != nil {
				return err
			} else if ok {
				at += size
				break
			}
		}
	}
	return nil
}
