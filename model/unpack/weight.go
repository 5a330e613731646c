// Packed weights.

package unpack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/internal/dequant"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// ErrUnknown is wrapped by the error of a weight whose scheme is unknown or has no decoder.
var ErrUnknown = dequant.ErrUnknown

// A Weight is a packed weight. Several goroutines may use it at once.
type Weight struct {
	Name   string // of the tensor that is computed: that of the packed values, or "x.weight" for "x.qweight"
	Scheme string // how it is packed, such as "fp8" or "gptq"; "" if that is unknown
	Bits   int64  // of a packed value; 0 if unknown or different

	// Parts are the tensors that it is made of, the packed values first. Others may be scales of activations and of
	// caches, which are needed only as long as the weight is packed.
	Parts []*safetensors.Tensor

	of     *Weights
	module scheme.Module
	roles  [parts.Count]*safetensors.Tensor
	reason error // why it stays packed, as far as names tell

	once sync.Once // for the rest
	made *safetensors.Tensor
	err  error
}

// Tensor returns the values as a tensor of dtype F32, or an error if the weight stays packed. The first call reads the
// parts that have a shape or a format, which are small. The tensor reads the others when it is read.
func (w *Weight) Tensor() (*safetensors.Tensor, error) {
	w.once.Do(func() {
		t, err := w.unpack()
		if w.made = t; err != nil {
			w.err = fmt.Errorf("weight %s stays packed (%s): %w", wording.Quote(w.Name), cmp.Or(w.Scheme, "unknown scheme"),
				err)
		}
	})
	return w.made, w.err
}

// maxText is the most that is read of a part to find out how a weight is packed, in bytes.
const maxText = 64 << 10

func (w *Weight) unpack() (*safetensors.Tensor, error) {
	if w.reason != nil {
		return nil, w.reason
	}
	m := w.module
	m.Texts = make(map[*scheme.Tensor][]byte)
	for _, r := range [...]parts.Role{parts.QuantState, parts.ShapeOf, parts.Marker} {
		if t := w.roles[r]; t != nil && t.Size() <= maxText {
			text, err := t.Bytes()
			if err != nil {
				return nil, err
			}
			m.Texts[m.Parts[r]] = text
		}
	}
	s, v := m.Match(&w.of.context)
	switch {
	case s == nil:
		return nil, ErrUnknown
	case !v.N.Exact():
		return nil, errors.New(cmp.Or(v.Why, "the number of its values does not follow from the shapes of its parts"))
	}
	values, err := dequant.Of(&m, s, v, &w.of.context, w.roles)
	if err != nil {
		return nil, err
	}
	if n := clamp.Product(values.Shape); n != v.N.High {
		return nil, fmt.Errorf("it would have %d values, but its parts hold %d", n, v.N.High)
	}
	return safetensors.TensorAt(w.Name, safetensors.F32, values.Shape, values.Reader(w.Name))
}

// recognize finds out how the weight is packed, by names, dtypes and shapes. It returns false if it is not packed.
func (w *Weight) recognize(c *scheme.Context) bool {
	s, v := w.module.Match(c)
	if s == nil {
		return w.unknown()
	}
	w.Scheme, w.Bits = cmp.Or(v.Name, s.Name), v.Bits
	w.hold(s.Holds)
	for _, t := range w.Parts[1:] {
		if _, r := parts.Split(t.Name); !understood(s.Rule, r, parts.Last(t.Name)) {
			w.reason = fmt.Errorf("%w for weights with %s", ErrUnknown, wording.Quote(t.Name))
		}
	}
	if format := c.Comfy[w.module.Name]; s.Rule == "fp8" && format != "" && !strings.HasPrefix(format, "float8_") {
		w.reason = fmt.Errorf("%w for ComfyUI's format %q", ErrUnknown, format)
	}
	return true
}

// unknown reports whether the module is packed in an unknown way: it has narrow values and companions of packed weights.
func (w *Weight) unknown() bool {
	packed := parts.PackingOf(func(yield func(*safetensors.TensorInfo) bool) {
		for _, t := range w.Parts {
			if !yield(&t.TensorInfo) {
				return
			}
		}
	})
	for r := parts.Weight; len(packed) > 0 && r.Holds(); r++ {
		if w.roles[r] != nil {
			w.hold(r)
			w.reason = ErrUnknown
			return true
		}
	}
	return false
}

// hold makes the part of a role the one with the values.
func (w *Weight) hold(r parts.Role) {
	t := w.roles[r]
	i := slices.Index(w.Parts, t)
	w.Parts = slices.Insert(slices.Delete(w.Parts, i, i+1), 0, t)
	switch module := w.module.Name; {
	case r == parts.Weight || parts.Last(t.Name) == "weight":
		w.Name = t.Name
	case len(t.Name) > len(module) && t.Name[:len(module)] == module && t.Name[len(module)] == '.':
		w.Name = module + ".weight"
	default: // "experts.up_proj_blocks"
		w.Name = module
	}
}
