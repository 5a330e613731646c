// Errors of reading a tensor.

package source

import (
	"errors"
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/wording"
)

// ShortRead returns the error of a file that had only got of a tensor's size bytes.
func ShortRead(tensor string, got, size int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("safetensors: read %d of the %d bytes of tensor %s: %w", got, size, wording.Quote(tensor), err)
}

// Early returns the error of a reader that returned fewer bytes than it was asked
// for: err, or if that is nil or io.EOF, that the tensor's source ends at the given
// byte.
func Early(tensor string, at int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("safetensors: the source of tensor %s ends at byte %d: %w",
			wording.Quote(tensor), at, io.ErrUnexpectedEOF)
	}
	return err
}

// An Unfit says that a dtype cannot hold an element of a tensor that is converted.
type Unfit struct {
	Tensor       string
	Element      int64
	Value, Dtype string
}

// Error names the tensor, the element, its value and the dtype.
func (e *Unfit) Error() string {
	return fmt.Sprintf("safetensors: tensor %s: element %d is %s, which %s cannot hold", wording.Quote(e.Tensor),
		e.Element, e.Value, e.Dtype)
}
