// Reports of get.

package receipt

import (
	"bufio"
	"fmt"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Got is the downloaded or copied files.
type Got struct {
	Local     bool // copied
	DryRun    bool // nothing was copied or downloaded
	Files     []GotFile
	Tensors   int      // number of selected tensors; 0 for whole files
	NotCopied []string // other files of the folder
}

// A GotFile is a downloaded file.
type GotFile struct {
	Path     string `json:"path"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`   // "" if it was not worked out
	Verified bool   `json:"verified"` // matches the server's digest
	Kept     bool   `json:"kept"`     // existed before
	Resumed  int64  `json:"resumed"`  // bytes that existed before

	Companion bool `json:"companion"` // belongs to the weights
}

// JSON writes weigh.get/1.
func (g *Got) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.get/1"),
		encode.M("dry_run", g.DryRun),
		encode.M("files", g.Files),
		encode.M("not_copied", g.NotCopied),
	})
}

// Text writes a line for each file, and at last which files are not copied. A dry run ends with the sum of the sizes.
func (g *Got) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		total := int64(0)
		for i := range g.Files {
			f := &g.Files[i]
			total = encode.Add(total, f.Size)
			fmt.Fprintf(w, "%s: %s, %s\n", typeset.Line(f.Path), typeset.Bytes(f.Size), g.how(f))
		}
		writeNotes(w, s, note{"", "not copied", g.NotCopied})
		if g.DryRun {
			typeset.Wrap(w, s, 0, typeset.Bold, fmt.Sprintf("dry run: %s, %s", typeset.Plural(int64(len(g.Files)), "file"),
				typeset.ExactBytes(total)))
		}
	})
}

// how says what happened to a file.
func (g *Got) how(f *GotFile) string {
	part := g.Tensors > 0 && !f.Companion
	how := "downloaded"
	switch {
	case part:
		how = "written from " + typeset.Plural(int64(g.Tensors), "tensor")
	case g.Local:
		how = "copied"
	}
	switch {
	case g.DryRun:
		how = "would be " + how
	case f.Kept:
		how = "kept"
	case f.Resumed > 0 && part:
		how += ", resumed at " + typeset.Bytes(f.Resumed)
	case f.Resumed > 0:
		how = "resumed at " + typeset.Bytes(f.Resumed)
	}
	if f.Verified {
		how += ", verified"
	}
	return how
}
