// Modules: the tensors that are parts of one packed weight.

package scheme

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/parts"
)

// A Tensor is one part of a module.
type Tensor struct {
	Info  *safetensors.TensorInfo
	File  int32 // the number of its file
	Kinds parts.Kinds
}

// NumElems returns the number of elements, at most 2^63-1.
func (t *Tensor) NumElems() int64 { return clamp.Product(t.Info.Shape) }

// width returns the number of bits of an element.
func (t *Tensor) width() int64 { return int64(t.Info.Dtype.Bits()) }

// bytes returns the number of bytes.
func (t *Tensor) bytes() int64 { return clamp.MulDiv(t.NumElems(), t.width(), 8) }

// shapeOf returns the shape of a tensor for messages.
func shapeOf(t *Tensor) string { return t.Info.ShapeString() }

// A Context is what the configuration and the metadata say about all modules.
type Context struct {
	*config.Config
	Comfy    map[string]string                  // ComfyUI: formats by module
	Metadata func(file int32) map[string]string // of a file
	Hidden   map[string]int64                   // the channels of norms, by NormOf; 0 if they differ

	mlxGroup int64          // the size of groups that Learn has found; 0 or less if it is unknown
	sizes    map[int64]bool // numbers of inputs and outputs that Learn has found
}

// A Module is what is stored of one packed weight: at most one tensor for each role.
type Module struct {
	Name  string
	Parts [parts.Count]*Tensor
	Texts map[*Tensor][]byte // the data of those parts that were read
}

// Set makes t the part of a role. The two kinds of block scales are never used together.
func (m *Module) Set(r parts.Role, t *Tensor) {
	if r == parts.ScaleInv {
		r = parts.Scale
	}
	m.Parts[r] = t
}

func (m *Module) has(r parts.Role) bool { return m.Parts[r] != nil }

// is reports whether the module has a part of one of the given dtypes.
func (m *Module) is(r parts.Role, k parts.Kinds) bool {
	return m.Parts[r] != nil && m.Parts[r].Kinds&k != 0
}

// shape returns the shape of a part, or nil if the part is missing or cannot be counted.
func (m *Module) shape(r parts.Role) []int64 {
	if m.Parts[r] == nil || !Countable(m.Parts[r].Info.Shape) {
		return nil
	}
	return m.Parts[r].Info.Shape
}

// Countable reports whether a shape is known and has fewer than 2^63-1 elements. Dimensions above that
// are negative.
func Countable(shape []int64) bool {
	return shape != nil && clamp.Product(shape) < math.MaxInt64 &&
		!slices.ContainsFunc(shape, func(d int64) bool { return d < 0 })
}

// lastOf returns the last dimension of a part, or 0 if it has none.
func (m *Module) lastOf(r parts.Role) int64 {
	if s := m.shape(r); len(s) > 0 {
		return s[len(s)-1]
	}
	return 0
}

// stored returns the number of elements of a part, or 0 if it is missing.
func (m *Module) stored(r parts.Role) int64 {
	if m.Parts[r] == nil {
		return 0
	}
	return m.Parts[r].NumElems()
}

// text returns the data of a part, or nil if it was not read.
func (m *Module) text(r parts.Role) []byte {
	if m.Parts[r] == nil {
		return nil
	}
	return m.Texts[m.Parts[r]]
}

// routed reports whether the module is one of the experts among which a router chooses. The words are
// the ones in isRoutedExpertTensor of huggingface.js.
func (m *Module) routed() bool {
	return strings.Contains(m.Name, ".experts.") && !strings.Contains(m.Name, "shared_experts")
}

// NormOf returns what a module shares with the norms of its channels: the name of its layers, or of what it is in.
func NormOf(module string) string {
	if stack, number, _ := parts.Layer(module); number >= 0 {
		return stack
	}
	return strings.TrimSuffix(strings.TrimSuffix(module, parts.Last(module)), ".")
}

// LearnNorm notes the channels of a tensor of floats in Hidden, if it is the weight of a norm.
func (c *Context) LearnNorm(ti *safetensors.TensorInfo) {
	module, ok := strings.CutSuffix(ti.Name, ".weight")
	if !ok || len(ti.Shape) != 1 || !parts.IsNorm(module) {
		return
	}
	at := NormOf(module)
	if size, known := c.Hidden[at]; known && size != ti.Shape[0] {
		c.Hidden[at] = 0
	} else {
		c.Hidden[at] = ti.Shape[0]
	}
}

// hidden returns the number of channels of the norms near a module, or 0 if it is unknown: of the norms of its layers,
// or else of the one that follows them.
func (c *Context) hidden(module string) int64 {
	at := NormOf(module)
	n, ok := c.Hidden[at]
	if !ok {
		n = c.Hidden[strings.TrimSuffix(strings.TrimSuffix(at, parts.Last(at)), ".")]
	}
	if parts.IsHead(module) && n == 0 {
		n = c.Hidden["model"]
	}
	return n
}

// Inputs returns the number of inputs of a module with n values if it reads or writes the hidden channels, by its name,
// or 0 if it is unknown.
func (c *Context) Inputs(module string, n int64) int64 {
	hidden := cmp.Or(c.hidden(module), c.Size(config.Hidden))
	switch {
	case hidden <= 0 || n%hidden != 0:
	case parts.ReadsHidden(module):
		return hidden
	case parts.WritesHidden(module):
		return n / hidden
	}
	return 0
}

// head reports whether the module is the output layer, which is as large as the vocabulary.
func (m *Module) head() bool { return m.Name == "lm_head" || strings.HasSuffix(m.Name, ".lm_head") }

// maxRank bounds the shapes that are read from data.
const maxRank = 8

// readShape returns the shape that the shape part contains: little-endian integers.
func (m *Module) readShape() (shape []int64, ok bool) {
	b := m.text(parts.ShapeOf)
	size := 8
	if m.is(parts.ShapeOf, parts.Int32) {
		size = 4
	} else if !m.is(parts.ShapeOf, parts.Int64) {
		return nil, false
	}
	if len(b) == 0 || len(b)%size != 0 || len(b)/size > maxRank {
		return nil, false
	}
	for ; len(b) > 0; b = b[size:] {
		n := int64(int32(binary.LittleEndian.Uint32(b)))
		if size == 8 {
			n = int64(binary.LittleEndian.Uint64(b))
		}
		if n < 0 {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// dimsOf returns a shape that is a JSON array of numbers.
func dimsOf(v jsonscan.Value) (shape []int64, ok bool) {
	for e := range v.Elements() {
		n, ok := e.Int()
		if !ok || len(shape) == maxRank {
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, len(shape) > 0
}
