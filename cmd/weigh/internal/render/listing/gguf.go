// The header of a GGUF file as JSON.

package listing

import (
	"encoding/json"
	"io"
	"math"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/gguf"
)

// WriteGGUF writes the header of a GGUF file as JSON, in the order of the file. Of a damaged file, it writes what could
// be read.
func WriteGGUF(w io.Writer, s typeset.Style, f *gguf.File) error {
	order := "little"
	if f.BigEndian {
		order = "big"
	}
	keys := make([]encode.Member, len(f.Keys))
	for i, k := range f.Keys {
		keys[i] = encode.M(k.Name, ggufValue(f, k.Value))
	}
	return encode.Object(w, s, []encode.Member{
		encode.M("version", f.Version),
		encode.M("byte_order", order),
		encode.M("alignment", f.Alignment),
		encode.M("data_start", f.DataStart),
		encode.M("metadata", keys),
		encode.M("tensors", encode.List(f.Tensors, func(t *gguf.TensorInfo) any {
			return []encode.Member{
				encode.M("name", t.Name),
				encode.M("type", t.Type.String()),
				encode.M("shape", encode.Dims(t.Shape())),
				encode.M("file_offsets", encode.Pair{Begin: t.Span.Begin, End: t.Span.End, Known: t.Span.End > 0}),
			}
		})),
	})
}

// mostText is the size of the longest string that is written, in bytes.
const mostText = 16 << 20

// ggufValue returns a value for JSON. Numbers that JSON lacks are null.
func ggufValue(f *gguf.File, v gguf.Value) any {
	switch v.Kind {
	case gguf.String:
		return func() any {
			text, err := f.Text(v, mostText)
			if err != nil {
				return failing{err}
			}
			return text
		}
	case gguf.Array:
		return encode.Elements(func(yield func(any) bool) {
			for element, err := range f.Elements(v) {
				if err != nil {
					yield(failing{err})
					return
				}
				if !yield(ggufValue(f, element)) {
					return
				}
			}
		})
	}
	if b, ok := v.Bool(); ok {
		return b
	}
	if x, ok := v.Float(); ok {
		if v.Kind == gguf.Float64 || math.IsNaN(x) || math.IsInf(x, 0) {
			return encode.Finite(x)
		}
		return json.RawMessage(encode.AppendFloat(nil, x, 32))
	}
	if n, ok := v.Uint(); ok {
		return n
	}
	n, _ := v.Int()
	return n
}

// failing is a value that could not be read.
type failing struct{ err error }

// MarshalJSON returns the error.
func (f failing) MarshalJSON() ([]byte, error) { return nil, f.err }
