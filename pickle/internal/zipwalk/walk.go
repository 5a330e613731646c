// The walk: from the end of the archive to the directory, the local headers, and the remaining bytes.

package zipwalk

import (
	"cmp"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// Walk parses the archive of the given size in r. The error is a read error, never one of the contents.
func Walk(r io.ReaderAt, size int64, opts *Options) (*Archive, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size), headers: make(map[int64]bool)}
	if opts != nil {
		w.opts = *opts
	}
	w.opts.Members = cmp.Or(w.opts.Members, usualMembers)
	w.opts.Search = cmp.Or(w.opts.Search, usualSearch)
	for _, step := range []func() error{w.fromTail, w.fromGaps, w.orphans} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	w.crossCheck()
	if w.Cut {
		return w.Archive, w.followsFromCut()
	}
	return w.Archive, nil
}

// Find returns the offset at which a file identifies itself as a zip archive: 0 if it starts as one; or the offset of
// an end record near its end with a directory in the right place; or -1.
func Find(r io.ReaderAt, size int64) (int64, error) {
	w := &walker{Archive: &Archive{r: r, size: size}, window: bytesio.NewWindow(r, size)}
	if ok, err := w.isAt(sigLocal, 0); ok || err != nil {
		return 0, err
	}
	ends, err := w.tailEnds()
	if err != nil {
		return -1, err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		e, err := w.readEnd(ends[i])
		if err != nil {
			return -1, err
		}
		for _, t := range w.locate(e) {
			if ok, err := w.isAt(sigCentral, t.offset); ok || err != nil {
				return ends[i], err
			}
		}
	}
	return -1, nil
}

// fromTail reads the directory of the last end record, which readers use, and then the directories of other end
// records outside contents.
func (w *walker) fromTail() error {
	ends, err := w.tailEnds()
	if err != nil {
		return err
	}
	if ends, err = w.outside(ends); err != nil {
		return err
	}
	if len(ends) == 0 {
		w.fault(NoEnd, -1, w.size, "the archive has no end record: it is truncated, or its end was removed")
		w.Partial, w.Cut = "the archive has no directory", true
		return nil
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if w.covered.Has(ends[i]) && !w.inComment(ends[i]) {
			continue // the end of a nested archive
		}
		if err := w.end(ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// fromGaps searches the gaps for end records of archives in front of this one.
func (w *walker) fromGaps() error {
	w.budget = w.opts.Search
	const most = 8 // end records
	for _, gap := range w.covered.Holes(extent.Span{End: w.size}) {
		marks, err := w.search(gap, sigEnd)
		if err != nil {
			return err
		}
		ends := make([]int64, 0, len(marks))
		for i := range marks {
			ends = append(ends, marks[i].offset)
		}
		if ends, err = w.outside(ends); err != nil {
			return err
		}
		for i := len(ends) - 1; i >= 0 && len(w.ends) < most; i-- {
			if at := ends[i]; !w.covered.Has(at) && at+endSize <= w.size {
				if err := w.end(at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
