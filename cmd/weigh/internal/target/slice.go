// Tensors, or parts of them, as users write them: name[slice], and patterns of names.

package target

import (
	"context"
	"iter"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
)

// A Part is a tensor or a part of it.
type Part struct {
	*safetensors.Tensor
	Dtype safetensors.Dtype // in the file
	Slice string            // the text of the slice; "" for the whole tensor
}

// Slices returns what several texts mean, each once, and whether one is a pattern. A pattern such as
// "**.norm.weight[:4]" means every tensor whose name it matches, unless a tensor has that very name. See partOf for
// values.
func (w *Weights) Slices(ctx context.Context, meant []string, values bool) (list []Part, several bool, err error) {
	several = len(meant) > 1
	type key struct{ name, slice string }
	listed := make(map[key]bool)
	for _, text := range meant {
		found, pattern, err := w.meaning(ctx, text, values)
		if err != nil {
			return nil, false, err
		}
		several = several || pattern
		for _, p := range found {
			if k := (key{p.Name, p.Slice}); !listed[k] {
				listed[k] = true
				list = append(list, p)
			}
		}
	}
	return list, several, nil
}

// meaning returns what one text means: a tensor, or those whose names match it.
func (w *Weights) meaning(ctx context.Context, meant string, values bool) (list []Part, pattern bool, err error) {
	for name, text := range spellings(meant) {
		t, err := w.Find(ctx, name)
		if err != nil {
			return nil, false, w.Fault(err)
		}
		if t != nil {
			p, err := partOf(t, text, values)
			return []Part{p}, false, err
		}
	}
	if strings.ContainsAny(meant, "*?[") {
		if list, err = w.matches(ctx, meant, values); err != nil || len(list) > 0 {
			return list, true, err
		}
	}
	name := meant
	if strings.HasSuffix(meant, "]") {
		name, _, _ = strings.Cut(meant, "[")
	}
	return nil, false, w.Fault(w.Absent(ctx, name))
}

// matches returns the tensors whose names match a pattern, which a slice may follow.
func (w *Weights) matches(ctx context.Context, meant string, values bool) (list []Part, err error) {
	all, err := w.Tensors(ctx)
	if err != nil {
		return nil, w.Fault(err)
	}
	for pattern, text := range spellings(meant) {
		p, err := glob.Compile(pattern)
		if err != nil {
			continue // the brackets of the slice
		}
		for _, t := range all {
			if !p.Match(t.Name) {
				continue
			}
			part, err := partOf(t, text, values)
			if err != nil {
				return nil, err
			}
			list = append(list, part)
		}
		if len(list) > 0 {
			break
		}
	}
	return list, nil
}

// partOf returns the part of a tensor that a slice selects. With values, the elements of a part may be narrower than a
// byte and not fill whole bytes: they are returned as F32, which has the same values.
func partOf(t *safetensors.Tensor, text string, values bool) (Part, error) {
	ranges, err := safetensors.ParseRanges(text)
	if err != nil {
		return Part{}, cli.Usage(err)
	}
	part, err := t.Slice(ranges...)
	if err != nil && values && t.Dtype.Bits() < 8 {
		part, err = wide(t, ranges)
	}
	if err != nil {
		return Part{}, cli.Usage(err)
	}
	return Part{part, t.Dtype, text}, nil
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
