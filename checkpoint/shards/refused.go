// Errors of requests that are refused.

package shards

import (
	"errors"
	"fmt"
)

// ErrRefused is wrapped by errors that are about the request, and not about files:
// the output is an input, or the input of an operation in place is remote. Nothing
// was touched.
var ErrRefused = errors.New("refused")

// ErrIsInput is wrapped by the error of an output that would replace or remove a file
// that is read. It wraps ErrRefused.
var ErrIsInput = fmt.Errorf("output is input: %w", ErrRefused)

// A requestError describes a request that was refused.
type requestError struct {
	text string
	kind error
}

// Error describes the refusal in one line.
func (e *requestError) Error() string { return "shards: " + e.text }

// Unwrap returns ErrRefused, or an error that wraps it.
func (e *requestError) Unwrap() error { return e.kind }

// refuse returns an error that wraps ErrRefused.
func refuse(format string, args ...any) error {
	return &requestError{fmt.Sprintf(format, args...), ErrRefused}
}
