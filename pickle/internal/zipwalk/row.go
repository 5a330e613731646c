// Several archives in one file, each with its own offsets.

package zipwalk

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// Row returns the positions of the archives of PyTorch in a file that consists of two or more, one directly after the
// other, or nil for any other file. Distributed checkpoints store tensors this way, and their index has the position of
// each archive. A file of more than most archives is not a row.
//
// A reader that takes the file for one archive must find the first or the last of them, or none: a file in which it
// finds anything else is not a row.
func Row(r io.ReaderAt, size int64, most int) ([]extent.Span, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size)}
	row, err := w.row(size, most)
	if len(row) < 2 {
		return nil, err
	}
	return row, err
}

// CutRow is like Row for a file that ends within the last archive. It searches the last 16 MiB for the end of the
// archive before that.
func CutRow(r io.ReaderAt, size int64, most int) ([]extent.Span, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size), budget: usualSearch}
	marks, err := w.search(extent.Span{Begin: max(size-usualSearch, 0), End: size}, sigEnd)
	if n := len(marks); n > 0 && size-marks[n-1].offset < endSize {
		marks = marks[:n-1] // it is cut off
	}
	if err != nil || len(marks) == 0 {
		return nil, err
	}
	last := extent.Span{Begin: marks[len(marks)-1].offset + endSize, End: size}
	b, err := w.window.At(last.Begin, len(sigLocal))
	if err != nil || len(b) == 0 || !strings.HasPrefix(sigLocal, string(b)) {
		return nil, err
	}
	row, err := w.row(last.Begin, most-1)
	if len(row) == 0 {
		return nil, err
	}
	return append(row, last), err
}

// row returns the positions of the archives before end.
func (w *walker) row(end int64, most int) ([]extent.Span, error) {
	var row []extent.Span
	first := int64(0) // offset of the directory of the first archive
	for end > 0 {
		if len(row) == most {
			return nil, nil
		}
		span, directory, err := w.lastBefore(end)
		if err != nil || span.Len() == 0 || directory < span.Begin {
			return nil, err
		}
		row = append(row, span)
		end, first = span.Begin, directory
	}
	slices.Reverse(row)
	for _, span := range row {
		if ok, err := w.absolute(span.End, first); !ok || err != nil {
			return nil, err
		}
	}
	return row, nil
}

// lastBefore returns the position of the archive that ends at end, and of its directory. The span is empty if there is
// none.
func (w *walker) lastBefore(end int64) (span extent.Span, directory int64, err error) {
	off := end - endSize
	b, err := w.window.At(max(off, 0), endSize)
	if err != nil || off < 0 || string(b[:4]) != sigEnd || u16(b, 20) != 0 { // with a comment
		return span, 0, err
	}
	e, err := w.readEnd(off)
	if err != nil {
		return span, 0, err
	}
	c := e.claims[0]
	for _, wide := range e.claims[1:] {
		if wide.ends == e.offset-locatorSize-end64Size {
			c = wide
		}
	}
	if c.size > uint64(c.ends) || c.offset > uint64(c.ends)-c.size {
		return span, 0, nil
	}
	directory = c.ends - int64(c.size)
	span = extent.Span{Begin: directory - int64(c.offset), End: end}
	if ok, err := w.isAt(sigCentral, directory); !ok || err != nil {
		return extent.Span{}, 0, err
	}
	first, err := w.readLocal(span.Begin)
	if err != nil || first == nil || !strings.HasSuffix(first.name, "/data.pkl") {
		return extent.Span{}, 0, err
	}
	return span, directory, nil
}

// absolute reports whether a reader that takes the offsets in the end record before end for offsets in the file finds
// the directory of the first archive, or none.
func (w *walker) absolute(end, first int64) (bool, error) {
	e, err := w.readEnd(end - endSize)
	if err != nil {
		return false, err
	}
	for _, c := range e.claims {
		at := int64(min(c.offset, math.MaxInt64))
		if ok, err := w.isAt(sigCentral, at); err != nil || ok && at != first {
			return false, err
		}
	}
	return true, nil
}
