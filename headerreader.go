// Reading many headers.

package safetensors

import (
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/header"
)

// A HeaderReader reads one header after the other into the same memory. For programs that read many headers, such as
// registries, that takes a fraction of the time: [Open] and [NewFile] leave work to the garbage collector.
//
// The zero HeaderReader has the defaults of [Opener]. It must not be copied after the first Read, and is not safe for
// concurrent use. It keeps as much memory as the largest header needed, which Opener.MaxHeaderSize limits.
type HeaderReader struct {
	Opener Opener // not to be changed after the first Read

	parser *header.Parser
}

// Read returns the header of the file of the given size behind r, checked like that of [NewFile]. The error is a
// *Violation if the file is invalid, and otherwise that of r.
//
// The Header, and its strings and shapes, change with the next call: what is kept must be copied, such as names by
// strings.Clone. An error does not change.
func (h *HeaderReader) Read(r io.ReaderAt, size int64) (*Header, error) {
	if h.parser == nil {
		h.parser = h.Opener.parser(false)
	} else {
		h.parser.Reset()
	}
	report, err := h.Opener.judgeBy(h.parser, r, size)
	if err != nil {
		return nil, err
	}
	if v := report.First(h.Opener.least()); v != nil {
		v.Tensor = strings.Clone(v.Tensor)
		return nil, v
	}
	return report.Header, nil
}
