// Values of several tensors.

package values

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Cats prints the values of several tensors.
type Cats []*Cat

// Text writes the values of each tensor below a line with its name, dtype and shape.
func (list Cats) Text(w io.Writer, s typeset.Style) error {
	for i, c := range list {
		gap := ""
		if i > 0 {
			gap = "\n"
		}
		title := s.Paint(typeset.Bold, typeset.Name(c.name())) + ": " + string(c.dtype()) + " " + c.Tensor.ShapeString()
		if _, err := fmt.Fprintf(w, "%s%s\n", gap, title); err != nil {
			return err
		}
		if err := c.Text(w, s); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes weigh.tensors/1.
func (list Cats) JSON(w io.Writer, s typeset.Style) error {
	if s.Terminal() {
		var b bytes.Buffer
		if err := list.JSON(&b, typeset.Style{}); err != nil {
			return err
		}
		return encode.Pretty(w, s, b.Bytes())
	}
	if _, err := io.WriteString(w, `{"schema":"weigh.tensors/1","tensors":[`); err != nil {
		return err
	}
	for i, c := range list {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := c.object(w, s, false); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "]}\n")
	return err
}

// NPZ writes an archive of NumPy files, uncompressed as numpy.savez does.
func (list Cats) NPZ(w io.Writer, s typeset.Style) error {
	names := make(map[string]bool)
	z := zip.NewWriter(w)
	for _, c := range list {
		name := c.name()
		switch {
		case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00"):
			return fmt.Errorf("tensor %q cannot be in an .npz file, whose readers take the name for a path outside of it; "+
				"write it alone, as .npy", name)
		case names[name]:
			return fmt.Errorf("two tensors are called %q; an .npz file has each name once", name)
		}
		names[name] = true
		file, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := c.NPY(file, s); err != nil {
			return err
		}
	}
	return z.Close()
}
