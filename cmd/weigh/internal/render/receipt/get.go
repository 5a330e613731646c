// Reports of get.

package receipt

import (
	"fmt"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Got is the downloaded or copied files.
type Got struct {
	Local   bool // copied
	Files   []GotFile
	Tensors int // number of selected tensors; 0 for whole files
}

// A GotFile is a downloaded file.
type GotFile struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`   // "" if it was not worked out
	Verified bool   `json:"verified"` // matches the server's digest
	Kept     bool   `json:"kept"`     // existed before
	Resumed  int64  `json:"resumed"`  // bytes that existed before
}

// JSON writes weigh.get/1.
func (g *Got) JSON(w io.Writer, s typeset.Style) error {
	return encode.Write(w, s, struct {
		Schema string    `json:"schema"`
		Files  []GotFile `json:"files"`
	}{"weigh.get/1", g.Files})
}

// Text writes a line for each file.
func (g *Got) Text(w io.Writer, _ typeset.Style) error {
	for _, f := range g.Files {
		how := "downloaded"
		if g.Local {
			how = "copied"
		}
		if g.Tensors > 0 {
			how = "written from " + typeset.Plural(int64(g.Tensors), "tensor")
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
