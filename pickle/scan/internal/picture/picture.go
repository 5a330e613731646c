// Pictures: whether a file is one from its first to its last byte.

// Package picture follows the structure of PNG, JPEG, GIF and WebP files. It decodes nothing:
// what it says is where a picture ends, and that all bytes before belong to it.
package picture

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// A StructureError says that bytes are not what the format has there.
type StructureError struct {
	Offset int64
	Want   string
}

// Error says what is missing and where, for the middle of a sentence about the file.
func (e *StructureError) Error() string {
	return fmt.Sprintf("at byte %d it has no %s", e.Offset, e.Want)
}

// walkers are the known formats.
var walkers = map[filetype.Kind]func(*walk) error{
	filetype.PNG: (*walk).png, filetype.JPEG: (*walk).jpeg, filetype.GIF: (*walk).gif, filetype.WebP: (*walk).webp,
}

// Has reports whether pictures of a kind are known.
func Has(kind filetype.Kind) bool { return walkers[kind] != nil }

// End returns the offset after the picture of the given kind at the start of r. The function
// spend is called with the number of bytes read, before they are; if it returns false, the error
// is evidence.ErrBudget. A picture that is invalid or truncated is an *StructureError; other errors are of r.
func End(kind filetype.Kind, r io.ReaderAt, size int64, spend func(int64) bool) (int64, error) {
	w := &walk{r: bytesio.NewWindow(r, size), size: size, spend: spend}
	err := walkers[kind](w)
	return w.off, err
}

// A walk is a position in a file.
type walk struct {
	r     *bytesio.Window
	size  int64
	off   int64
	spend func(int64) bool
}

// next returns the next n bytes, which must be what the caller wants, and goes on behind them.
func (w *walk) next(n int, want string) ([]byte, error) {
	if !w.spend(int64(n)) {
		return nil, evidence.ErrBudget
	}
	b, err := w.r.At(w.off, n)
	if err == nil && len(b) < n {
		err = w.missing(want)
	}
	if err != nil {
		return nil, err
	}
	w.off += int64(n)
	return b, nil
}

// skip goes on behind n bytes.
func (w *walk) skip(n int64, want string) error {
	if n < 0 || n > w.size-w.off {
		return w.missing(want)
	}
	w.off += n
	return nil
}

// missing returns the error that something is not at the offset.
func (w *walk) missing(want string) error { return &StructureError{w.off, want} }
