// Values other than tensors.

package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// valuesFile is the values of one source.
type valuesFile struct {
	Path    string          `json:"path"`
	Values  json.RawMessage `json:"values"`
	LeftOut []valueLeftOut  `json:"left_out"`
}

// valueLeftOut is a value that JSON cannot represent.
type valueLeftOut struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// ValuesJSON writes weigh.values/1, indented.
func (c *Convert) ValuesJSON(w io.Writer, s typeset.Style) error {
	files := []valuesFile{}
	for _, one := range c.Sources {
		f := valuesFile{Path: one.Path, Values: json.RawMessage("null"), LeftOut: []valueLeftOut{}}
		if v := one.Values; v != nil {
			f.Values = v.JSON
			for _, k := range v.LeftOut {
				f.LeftOut = append(f.LeftOut, valueLeftOut{k.Path, k.What})
			}
		}
		files = append(files, f)
	}
	var line, text bytes.Buffer
	if err := encode.Object(&line, typeset.Style{}, []encode.Member{encode.M("schema", "weigh.values/1"),
		encode.M("files", files)}); err != nil {
		return err
	}
	if err := json.Indent(&text, line.Bytes(), "", "  "); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// kept says where the values are, and how many are left out.
func (c *Convert) kept() string {
	left := 0
	for _, one := range c.Sources {
		if one.Values != nil {
			left += len(one.Values.LeftOut)
		}
	}
	verb := "are in"
	if c.Planned {
		verb = "would be in"
	}
	text := fmt.Sprintf("other values %s %s", verb, typeset.Name(filepath.ToSlash(c.Values)))
	if left > 0 {
		text += fmt.Sprintf("; %s more cannot be represented in JSON, and are listed there", typeset.Count(int64(left)))
	}
	return text
}
