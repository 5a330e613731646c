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
// is the slice.
func (w *Weights) Slice(ctx context.Context, meant string) (*safetensors.Tensor, error) {
	for name, text := range spellings(meant) {
		t, err := w.Find(ctx, name)
		if err != nil {
			return nil, w.Fault(err)
		}
		if t == nil {
			continue
		}
		ranges, err := safetensors.ParseRanges(text)
		if err != nil {
			return nil, cli.Usage(err)
		}
		if t, err = t.Slice(ranges...); err != nil {
			return nil, cli.Usage(err)
		}
		return t, nil
	}
	name := meant
	if strings.HasSuffix(meant, "]") {
		name, _, _ = strings.Cut(meant, "[")
	}
	return nil, w.Fault(w.Absent(ctx, name))
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
