// Values that are no tensors, or not part of the root.

package torch

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// mostSkipped is the maximum number of skipped values in the list. The last entry represents the rest.
const mostSkipped = 1000

// omit records a value that is not part of the root, or contains no tensors.
func (f *file) omit(w *walker, path func() string, v pickle.Value, t tree.Tally) error {
	if f.omitted += t.Tensors + t.Values; f.omitted > tree.MostValues {
		return w.TooMany(tree.MostValues)
	}
	if len(f.Skipped) >= mostSkipped { // a path can be long
		return f.skip(Skipped{Tensors: t.Tensors, Values: t.Values})
	}
	return f.skip(Skipped{Path: path(), What: t.What(v), Tensors: t.Tensors, Values: t.Values})
}

// skip records a skipped value.
func (f *file) skip(s Skipped) error {
	if n := len(f.Skipped); n >= mostSkipped && !s.Unsupported {
		last := &f.Skipped[n-1]
		last.Path, last.Tensors, last.Values = "…", last.Tensors+s.Tensors, last.Values+s.Values
		last.What = fmt.Sprintf("%s and %s more",
			wording.Count(last.Tensors, "tensor"), wording.Count(last.Values, "other value"))
		return nil
	}
	f.Skipped = append(f.Skipped, s)
	return f.take(s.Path+s.What, childSize)
}

// NotesOf returns sentences about skipped values, as a [checkpoint.Description] has them.
func NotesOf(skipped []Skipped) (notes []string) {
	var tensors, values, unsupported int
	for _, s := range skipped {
		if s.Unsupported {
			unsupported++
			continue
		}
		tensors, values = tensors+s.Tensors, values+s.Values
	}
	if unsupported > 0 {
		notes = append(notes, "skips "+wording.Count(unsupported, "tensor")+" that safetensors cannot represent")
	}
	if tensors > 0 {
		notes = append(notes, fmt.Sprintf(
			"skips %s and %s that are not part of the model: `weigh convert --dry-run FILE -o NEW.safetensors` lists them",
			wording.Count(tensors, "tensor"), wording.Count(values, "other value")))
	}
	return notes
}
