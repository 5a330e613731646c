// Previews of large tensors, as NumPy prints them.

package values

import (
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Previews show the first and the last elements of each axis. NumPy has the same limits.
const (
	mostWhole   = 1000 // elements that are printed completely
	edge        = 3    // elements at each end of an axis
	mostPreview = 6    // axes of a preview; it has up to 6 elements for each
)

// large reports whether a preview of the tensor is shorter than all values.
func (c *Cat) large() bool { return c.Tensor.NumElems() > mostWhole }

// preview writes the ends of each axis, and says how many elements there are.
func (c *Cat) preview(w io.Writer, s typeset.Style) error {
	t := c.Tensor
	if t.Dtype.Bits() < 8 { // parts need not fill whole bytes
		var err error
		if t, err = t.Convert(safetensors.F32); err != nil {
			return err
		}
	}
	p := &previewer{cells: make(map[string]string), shape: t.Shape}
	if len(t.Shape) > mostPreview {
		p.shape = nil
	} else if err := p.read(t, nil); err != nil {
		return err
	}
	note := fmt.Sprintf("%s %s, %s; --all prints all", c.dtype(), c.Tensor.ShapeString(),
		typeset.Plural(t.NumElems(), "element"))
	if p.shape != nil {
		p.write(nil, 0)
		p.text.WriteByte('\n')
	}
	_, err := fmt.Fprintf(w, "%s%s\n", p.text.String(), s.Paint(typeset.Dim, note))
	return err
}

// A previewer reads and writes a preview.
type previewer struct {
	shape []int64
	cells map[string]string // by the indices of the element
	text  strings.Builder
}

// read reads the elements in the ends of all axes, of which the first have the given begins. It goes at most mostPreview deep.
func (p *previewer) read(t *safetensors.Tensor, begins []int64) error {
	if depth := len(begins); depth < len(p.shape) {
		for _, end := range ends(p.shape[depth]) {
			if err := p.read(t, append(begins[:depth:depth], end[0])); err != nil {
				return err
			}
		}
		return nil
	}
	ranges := make([]safetensors.Range, len(begins))
	for k, begin := range begins {
		for _, end := range ends(p.shape[k]) {
			if end[0] == begin {
				ranges[k] = safetensors.Between(end[0], end[1])
			}
		}
	}
	part, err := t.Slice(ranges...)
	if err != nil {
		return err
	}
	v, err := valuesOf(part, spelling{})
	if err != nil {
		return err
	}
	n := int(part.NumElems())
	if err := v.load(0, n); err != nil {
		return err
	}
	at := make([]int64, len(p.shape))
	for i := range n {
		rest := int64(i)
		for k := len(at) - 1; k >= 0; k-- {
			at[k], rest = begins[k]+rest%part.Shape[k], rest/part.Shape[k]
		}
		p.cells[fmt.Sprint(at)] = string(v.text(nil, i))
	}
	return nil
}

// ends returns the ranges of an axis that are shown: all of it, or the beginning and the end.
func ends(n int64) [][2]int64 {
	if n <= 2*edge {
		return [][2]int64{{0, n}}
	}
	return [][2]int64{{0, edge}, {n - edge, n}}
}

// write writes the array at some indices, in brackets, with … for what is left out.
func (p *previewer) write(at []int64, depth int) {
	if depth == len(p.shape) {
		p.text.WriteString(p.cells[fmt.Sprint(at)])
		return
	}
	last := depth == len(p.shape)-1
	between := "," + strings.Repeat("\n", len(p.shape)-1-depth) + strings.Repeat(" ", depth+1)
	if last {
		between = ", "
	}
	p.text.WriteByte('[')
	for i, end := range ends(p.shape[depth]) {
		if i > 0 {
			p.text.WriteString(between + "…")
		}
		for n := end[0]; n < end[1]; n++ {
			if i > 0 || n > 0 {
				p.text.WriteString(between)
			}
			p.write(append(at[:depth:depth], n), depth+1)
		}
	}
	p.text.WriteByte(']')
}
