// Package values shows the numbers in tensors: the values themselves, summary
// statistics, and histograms.
package values

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A Cat prints the values of a tensor, chunk by chunk.
type Cat struct {
	Tensor *safetensors.Tensor
	Dtype  safetensors.Dtype // in the file, if it is not that of Tensor
	Slice  string            // the part of the tensor that was selected, as users write it
	Bits   bool              // NPY writes bit patterns
	All    bool              // Text prints all values of large tensors, too, on a terminal
}

// dtype returns the dtype in the file.
func (c *Cat) dtype() safetensors.Dtype { return cmp.Or(c.Dtype, c.Tensor.Dtype) }

// name returns the name with the slice.
func (c *Cat) name() string {
	if c.Slice == "" {
		return c.Tensor.Name
	}
	return c.Tensor.Name + "[" + c.Slice + "]"
}

// fullPart is the size of the output buffer.
const fullPart = 64 << 10 // bytes

// A gathering buffers output and counts it.
type gathering struct {
	w    io.Writer
	text []byte
	gone int64
}

// at returns the number of bytes so far.
func (g *gathering) at() int64 { return g.gone + int64(len(g.text)) }

// flush writes the buffer.
func (g *gathering) flush() error {
	g.gone += int64(len(g.text))
	_, err := g.w.Write(g.text)
	g.text = g.text[:0]
	return err
}

// each writes all elements. It calls between before each element but the first, with its number.
func (c *Cat) each(g *gathering, s spelling, between func(i int64)) error {
	v, err := valuesOf(c.Tensor, s)
	if err != nil {
		return err
	}
	n := c.Tensor.NumElems()
	for first := int64(0); first < n; first += partSize {
		part := int(min(partSize, n-first))
		if err := v.load(first, part); err != nil {
			return err
		}
		for i := range part {
			if at := first + int64(i); at > 0 {
				between(at)
			}
			g.text = v.text(g.text, i)
			if len(g.text) < fullPart {
				continue
			}
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Text writes the values nested in brackets, one row on each line, like NumPy but with all
// elements. On a terminal it wraps long rows, and shows a preview of large tensors unless All is set.
func (c *Cat) Text(w io.Writer, s typeset.Style) error {
	if s.Terminal() && !c.All && c.large() {
		return c.preview(w, s)
	}
	g := &gathering{w: w}
	if err := c.nested(g, spelling{}, layout{lines: true, width: s.Width}); err != nil {
		return err
	}
	g.text = append(g.text, '\n')
	return g.flush()
}

// JSON writes weigh.cat/1. The values of a tensor without elements are [], since its shape may
// claim any number of empty rows.
func (c *Cat) JSON(w io.Writer, s typeset.Style) error { return c.object(w, s, true) }

// object writes the object of a tensor, alone with a schema and a newline, or as one of several.
func (c *Cat) object(w io.Writer, s typeset.Style, alone bool) error {
	t := c.Tensor
	members := []encode.Member{encode.M("name", t.Name), encode.M("dtype", c.dtype()),
		encode.M("shape", append(encode.Dims{}, t.Shape...))}
	open, colon, comma, end := "{", ":", ",", "}"
	if alone {
		members = append([]encode.Member{encode.M("schema", "weigh.cat/1")}, members...)
		end += "\n"
	} else {
		members = append(members, encode.M("slice", c.Slice))
	}
	form := layout{}
	if s.Terminal() {
		open, colon, comma, end = "{\n  ", ": ", ",\n  ", "\n}\n"
		form = layout{lines: true, width: s.Width, indent: len(`  "values": `)}
	}
	g := &gathering{w: w, text: []byte(open)}
	for _, m := range members {
		text, err := encode.Marshal(m.Value)
		if err != nil {
			return err
		}
		g.text = append(g.text, `"`+m.Name+`"`+colon...)
		g.text = append(append(g.text, text...), comma...)
	}
	g.text = append(g.text, `"values"`+colon...)
	if err := c.nested(g, spelling{quoted: true, pairs: true}, form); err != nil {
		return err
	}
	g.text = append(g.text, end...)
	return g.flush()
}

// CSV writes one record for each row along the last axis, without titles.
func (c *Cat) CSV(w io.Writer, _ typeset.Style) error {
	t, last := c.Tensor, int64(1)
	if t.NumElems() == 0 {
		return nil
	}
	if len(t.Shape) > 0 {
		last = t.Shape[len(t.Shape)-1]
	}
	g := &gathering{w: w}
	err := c.each(g, spelling{}, func(i int64) {
		if i%last == 0 {
			g.text = append(g.text, '\n')
		} else {
			g.text = append(g.text, ',')
		}
	})
	if err != nil {
		return err
	}
	g.text = append(g.text, '\n')
	return g.flush()
}

// Raw writes the bytes of the file: little-endian, and packed if elements are narrower than a
// byte.
func (c *Cat) Raw(w io.Writer, _ typeset.Style) error {
	_, err := c.Tensor.WriteTo(w)
	return err
}

// A layout describes how nested values are written.
type layout struct {
	lines  bool // rows have lines, and commas are followed by spaces
	width  int  // columns at which lines are wrapped; 0 means never
	indent int  // of all lines but the first
}

// nested writes the values in the brackets of their shape.
func (c *Cat) nested(g *gathering, s spelling, form layout) error {
	shape := c.Tensor.Shape
	if c.Tensor.NumElems() == 0 {
		g.text = append(g.text, "[]"...)
		return nil
	}
	// The number of elements of an array that begins at each axis. Nothing recurses over
	// axes, since a header may claim millions.
	size, n := make([]int64, len(shape)), int64(1)
	for i, dim := range slices.Backward(shape) {
		n *= dim
		size[i] = n
	}
	begun := g.at() - int64(form.indent) // start of the line
	g.text = append(g.text, strings.Repeat("[", len(shape))...)
	err := c.each(g, s, func(i int64) {
		ended := 0 // number of arrays that end before the element
		for ended < len(shape) && i%size[len(shape)-1-ended] == 0 {
			ended++
		}
		g.text = append(append(g.text, strings.Repeat("]", ended)...), ',')
		switch {
		case !form.lines:
		case ended == 0 && !form.full(g.at()-begun):
			g.text = append(g.text, ' ')
		default:
			depth := len(shape) - ended
			g.text = form.turn(g.text, ended, depth)
			begun = g.at() - int64(form.indent+depth)
		}
		g.text = append(g.text, strings.Repeat("[", ended)...)
	})
	g.text = append(g.text, strings.Repeat("]", len(shape))...)
	return err
}

// widest is the room for one more number with its space and comma. No F32 is longer; the terminal
// wraps longer F64.
const widest = 16 // columns

// full reports whether a line of so many bytes has no room for another number.
func (l *layout) full(bytes int64) bool {
	return l.width > 0 && bytes+widest > int64(l.width)
}

// turn starts a line after some arrays have ended. Matrices are separated by an empty line, as in
// NumPy, except in JSON.
func (l *layout) turn(b []byte, ended, depth int) []byte {
	if ended > 1 && l.indent == 0 {
		b = append(b, '\n')
	}
	return append(append(b, '\n'), strings.Repeat(" ", l.indent+depth)...)
}
