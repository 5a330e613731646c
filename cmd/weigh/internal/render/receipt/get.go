// What get says: which files came, and how sure it is of them.

package receipt

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Got is what was fetched.
type Got struct {
	Files   []GotFile
	Tensors int // that were selected; 0 if whole files were fetched
}

// A GotFile is one file that is there now.
type GotFile struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`   // "" if it was not worked out
	Verified bool   `json:"verified"` // the server says the same digest
	Kept     bool   `json:"kept"`     // it was there before
	Resumed  int64  `json:"resumed"`  // bytes that were there before
}

// JSON writes the machine form, "weigh.get/1".
func (g *Got) JSON(w io.Writer, s typeset.Style) error {
	return encode.Write(w, s, struct {
		Schema string    `json:"schema"`
		Files  []GotFile `json:"files"`
	}{"weigh.get/1", g.Files})
}

// Text writes a line for each file.
func (g *Got) Text(w io.Writer) error {
	for _, f := range g.Files {
		how := "fetched"
		if g.Tensors > 0 {
			how = "made of " + typeset.Plural(int64(g.Tensors), "tensor")
		}
		switch {
		case f.Kept:
			how = "kept"
		case f.Resumed > 0 && g.Tensors > 0:
			how += ", resumed at " + typeset.Bytes(f.Resumed)
		case f.Resumed > 0:
			how = "resumed at " + typeset.Bytes(f.Resumed)
		}
		if f.Verified {
			how += ", verified"
		}
		if _, err := fmt.Fprintf(w, "%s: %s, %s\n", typeset.Line(f.Path), typeset.Bytes(f.Size), how); err != nil {
			return err
		}
	}
	return nil
}
