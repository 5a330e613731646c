// Errors: why a file or a tensor cannot be read.

package torch

import (
	"errors"
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// ErrNotCheckpoint means that a file is not a checkpoint of a supported format.
var ErrNotCheckpoint = errors.New("not a checkpoint of PyTorch or NumPy")

// ErrNoRoot means that a file does not have Options.Root.
var ErrNoRoot = errors.New("there is no such root")

// A FormatError says why a file is rejected.
type FormatError struct {
	Path   string // dotted path of the invalid value, "" for the file
	Detail string // description, with numbers
	Form   Form   // kind of the tensor at Path if an option supports it; see Skipped

	limit       bool // the file may be valid, but exceeds a limit of this package or of Options
	fixed       bool // no option raises the limit
	budget      int  // Options.Budget
	unsupported bool // the file is valid, but safetensors can represent none of its tensors
	fix         string

	is error // ErrNotCheckpoint, ErrNoRoot or nil
}

// Error implements error.
func (e *FormatError) Error() string {
	switch {
	case e.is == ErrNotCheckpoint:
		return fmt.Sprintf("torch: %v: %s", e.is, e.Detail)
	case e.Path != "":
		return fmt.Sprintf("torch: %s: %s", quoted(e.Path), e.Detail)
	}
	return "torch: " + e.Detail
}

// Unwrap returns ErrNotCheckpoint, ErrNoRoot or nil.
func (e *FormatError) Unwrap() error { return e.is }

// refuse returns the error for an invalid file.
func refuse(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...)}
}

// again is the advice for truncated files.
const again = "download or copy it again"

// exceeds returns the error for a file that exceeds a limit.
func exceeds(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...), limit: true}
}

// notCheckpoint returns the error for a file of another kind.
func notCheckpoint(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...), is: ErrNotCheckpoint}
}

// An unsupported is the reason why a valid tensor cannot be stored in a safetensors file.
type unsupported struct {
	why  string
	form Form // the form if an option supports it
	fix  string
}

// Error implements error.
func (u unsupported) Error() string { return u.why }

func unsupportedf(format string, args ...any) error {
	return unsupported{why: fmt.Sprintf(format, args...)}
}

// quoted returns a name from a file for messages.
func quoted(name string) string { return wording.Quote(name) }
