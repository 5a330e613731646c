// Files of other formats under the name of a safetensors file.

package safetensors

import (
	"io"

	"github.com/weightools/safetensors/filetype"
)

// foreign reports a file of another format. It returns nil if the format is unknown.
func foreign(r io.ReaderAt, size int64) (*Report, error) {
	t, err := filetype.Detect(r, size)
	if err != nil {
		return nil, err
	}
	if v := notSafetensors(t, min(size, filetype.HeadSize)); v != nil {
		return reportOf(v), nil
	}
	return nil, nil
}

// notSafetensors returns the violation of a file of type t whose first n bytes show it,
// nil if it may be a safetensors file.
func notSafetensors(t filetype.Type, n int64) *Violation {
	if t.Kind == filetype.Unknown || t.Kind == filetype.Safetensors {
		return nil
	}
	v := violation(RuleNotSafetensors, "", Span{0, n}, "the file is %s, not a safetensors file", t)
	v.Fix = t.Advice()
	return v
}
