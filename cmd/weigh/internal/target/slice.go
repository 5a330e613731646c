// A tensor, or a part of it, as users write it: name[slice].

package target

import (
	"context"
	"iter"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// Slice returns the tensor that the user means, or the part of it, as in "w[0:4, :]". A
// name may have brackets itself: the longest name that exists counts, and what follows it
// is the slice. With values, the elements of a part may be narrower than a byte and not fill whole
// bytes: they are returned as F32, which has the same values. The dtype is the one in the file.
func (w *Weights) Slice(ctx context.Context, meant string, values bool) (*safetensors.Tensor, safetensors.Dtype,
	error) {
	for name, text := range spellings(meant) {
		t, err := w.Find(ctx, name)
		if err != nil {
			return nil, "", w.Fault(err)
		}
		if t == nil {
			continue
		}
		ranges, err := safetensors.ParseRanges(text)
		if err != nil {
			return nil, "", cli.Usage(err)
		}
		part, err := t.Slice(ranges...)
		if err != nil && values && t.Dtype.Bits() < 8 {
			part, err = wide(t, ranges)
		}
		if err != nil {
			return nil, "", cli.Usage(err)
		}
		return part, t.Dtype, nil
	}
	name := meant
	if strings.HasSuffix(meant, "]") {
		name, _, _ = strings.Cut(meant, "[")
	}
	return nil, "", w.Fault(w.Absent(ctx, name))
}

// wide returns a part of a tensor as F32.
func wide(t *safetensors.Tensor, ranges []safetensors.Range) (*safetensors.Tensor, error) {
	t, err := t.Convert(safetensors.F32)
	if err != nil {
		return nil, err
	}
	return t.Slice(ranges...)
}

// spellings yields the ways to read a text as the name of a tensor and a slice, the longest
// name first.
func spellings(meant string) iter.Seq2[string, string] {
	return func(yield func(name, slice string) bool) {
		if !yield(meant, "") || !strings.HasSuffix(meant, "]") {
			return
		}
		for end := len(meant); ; {
			end = strings.LastIndexByte(meant[:end], '[')
			if end < 0 || !yield(meant[:end], meant[end+1:len(meant)-1]) {
				return
			}
		}
	}
}
