// Package plain unpacks models with quantized weights: the weights become float tensors. [Unpack] returns a function
// for [edit.Edit].Arrange, which also removes the tensors and settings that only the packed model needs.
package plain

import (
	"errors"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/unpack"
)

// Options are options of Unpack.
type Options struct {
	// Cast, CastKeep and Saturate are as in [edit.Edit], and apply to the tensors of the plain model. Without a Cast,
	// weights that were packed are F32.
	Cast     []edit.Cast
	CastKeep []edit.Pattern
	Saturate bool
}

// Unpack returns a function that unpacks a model. The function returns an error if the model has no packed weights, or
// if it cannot unpack all of them, because the new configuration describes a plain model.
func Unpack(o Options) func(*edit.Input) (*edit.Output, error) {
	return func(in *edit.Input) (*edit.Output, error) {
		metadata := in.Merged()
		ws := unpack.Of(&unpack.Source{Files: []unpack.File{{Tensors: in.Tensors, Metadata: metadata}}, Beside: in.Beside})
		if len(ws.All) == 0 {
			return nil, errors.New("no weight is packed, so there is nothing to unpack")
		}
		out := &edit.Output{Described: true}
		if err := unpackAll(out, in.Tensors, ws); err != nil {
			return nil, err
		}
		if err := o.cast(out.Tensors); err != nil {
			return nil, err
		}
		for key := range metadata {
			if key == "_quantization_metadata" || key == "tensor_names" || ws.Of(key) != nil { // ComfyUI; torchao
				out.Unset = append(out.Unset, key)
			}
		}
		return out, configure(out, in)
	}
}

// unpackAll adds the tensors of the plain model.
func unpackAll(out *edit.Output, tensors []*safetensors.Tensor, ws *unpack.Weights) error {
	var first error
	left := 0
	for _, t := range tensors {
		w := ws.Of(t.Name)
		switch {
		case w == nil && !ws.Idle(t):
			out.Tensors = append(out.Tensors, arrange.Made{Tensor: t, From: []*safetensors.Tensor{t}})
		case w != nil && t == w.Parts[0]:
			values, err := w.Tensor()
			if err != nil {
				if left++; first == nil {
					first = err
				}
				continue
			}
			out.Tensors = append(out.Tensors, arrange.Made{Tensor: values, From: w.Parts, How: "unpacked from " + w.Scheme})
		}
	}
	if left > 0 {
		return fmt.Errorf("%s of %d cannot be unpacked; use drop patterns to exclude them. The first: %w",
			wording.Count(left, "packed weight"), len(ws.All), first)
	}
	return nil
}

// cast casts the tensors.
func (o *Options) cast(made []arrange.Made) error {
	if len(o.Cast) == 0 {
		return nil
	}
	tensors := make([]*safetensors.Tensor, len(made))
	for i := range made {
		tensors[i] = made[i].Tensor
	}
	changes, err := (&edit.Edit{Cast: o.Cast, CastKeep: o.CastKeep, Saturate: o.Saturate}).Apply(tensors)
	for i := range changes {
		made[i].Tensor = changes[i].Now
		if made[i].How == "" && changes[i].Now != changes[i].Was {
			made[i].How = "cast"
		}
	}
	return err
}
