// Reports of what is skipped in files of other formats.

package receipt

import (
	"fmt"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/torch"
)

// Skipped are the files of other formats that are read, with what is skipped in them.
type Skipped []*convert.Source

// skippedJSON returns a skipped value for JSON.
func skippedJSON(k *torch.Skipped) []encode.Member {
	return []encode.Member{encode.M("path", k.Path), encode.M("what", k.What), encode.M("tensors", k.Tensors),
		encode.M("values", k.Values), encode.M("unsupported", k.Unsupported)}
}

// notes lists the skipped values: those that are no part of the model, and the tensors that
// safetensors cannot represent.
func (s Skipped) notes() []note {
	values := note{"", "skipped", nil}
	without := note{typeset.Yellow, "skipped, because safetensors cannot represent them", nil}
	for _, one := range s {
		for _, k := range one.Skipped {
			to := &values
			if k.Unsupported {
				to = &without
			}
			to.names = append(to.names, fmt.Sprintf("%s (%s)", k.Path, k.What)) // writeNotes escapes them
		}
	}
	return []note{values, without}
}

// member returns the skipped values for JSON, each with its file.
func (s Skipped) member() encode.Member {
	return encode.M("skipped", encode.Elements(func(yield func(any) bool) {
		for _, one := range s {
			for i := range one.Skipped {
				row := append([]encode.Member{encode.M("file", one.Path)}, skippedJSON(&one.Skipped[i])...)
				if !yield(row) {
					return
				}
			}
		}
	}))
}
