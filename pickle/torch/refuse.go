// Refusals: why a file, or a tensor of it, is not read.

package torch

import (
	"errors"
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// ErrNotCheckpoint is what errors wrap that say that a file is no checkpoint of any
// format known here.
var ErrNotCheckpoint = errors.New("not a checkpoint of PyTorch or NumPy")

// ErrNoRoot is what errors wrap that say that a file does not have [Options.Root].
var ErrNoRoot = errors.New("there is no such root")

// A FormatError says why a file is refused.
type FormatError struct {
	Path   string // of the value at fault, from the top; "" if it is the file
	Detail string // what is wrong, with the numbers
	Form   Form   // of the tensor at Path, if that is what is wrong; see Skipped

	is error // ErrNotCheckpoint, ErrNoRoot or nil
}

// Error returns the error as one line.
func (e *FormatError) Error() string {
	switch {
	case e.is == ErrNotCheckpoint:
		return fmt.Sprintf("torch: %v: %s", e.is, e.Detail)
	case e.Path != "":
		return fmt.Sprintf("torch: %s: %s", quoted(e.Path), e.Detail)
	}
	return "torch: " + e.Detail
}

// Unwrap returns [ErrNotCheckpoint] if the file is none, and [ErrNoRoot] if that is what
// is wrong.
func (e *FormatError) Unwrap() error { return e.is }

// refuse returns the error of a file that is not read.
func refuse(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...)}
}

// notCheckpoint returns the error of a file that is something else.
func notCheckpoint(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...), is: ErrNotCheckpoint}
}

// An unsupported is the reason for which a tensor that is in order cannot be one of a
// safetensors file.
type unsupported struct {
	why  string
	form Form // which an option gives a form
}

func (u unsupported) Error() string { return u.why }

func unsupportedf(format string, args ...any) error {
	return unsupported{why: fmt.Sprintf(format, args...)}
}

// quoted returns a name out of a file as part of a message.
func quoted(name string) string { return wording.Quote(name) }
