// Which parts a decoder understands.

package unpack

import (
	"slices"

	"github.com/weightools/safetensors/internal/parts"
)

// companions are the roles that the decoder of a scheme uses, or may ignore, by the rule of the scheme. A weight with
// any other part stays packed, because the part may change its values.
var companions = map[string][]parts.Role{
	"fp8":          {parts.Scale, parts.Zeros, parts.Marker},
	"mxfp4-blocks": {parts.Scales},
	"packed-fp4":   {parts.Scale, parts.GlobalScale},
	"block-scaled": {parts.Scale, parts.Scale2, parts.Zeros},
	"packed-int":   {parts.Scale, parts.ShapeOf, parts.Zeros, parts.GroupIndex},
	"int-words":    {parts.Zeros, parts.Scales, parts.GroupIndex},
	"mlx":          {parts.Scales, parts.Biases},
	"bnb-4bit": {parts.Absmax, parts.QuantMap, parts.QuantState, parts.NestedAbsmax,
		parts.NestedMap},
	"bnb-8bit": {parts.ColumnMax},
	"hqq":      {parts.Scale, parts.Zeros, parts.ShapeOf, parts.BitWidth},
	"quanto":   {parts.Scale, parts.Zeros},
	"torchao":  {parts.Scale, parts.Scales, parts.Scale2, parts.Zeros},
}

// formalities are the last words of other tensors that say nothing that the values depend on.
var formalities = map[string][]string{
	"bnb-8bit": {"weight_format"},
	"hqq": {"packing", "group_size", "axis", "unpack_view_dtype", "view_as_float", "quant_scale", "quant_zero",
		"compute_dtype", "offload_meta", "encoded_state_dict", "stores_quant_config", "channel_wise", "optimize", "round_zero"},
}

// understood reports whether the decoder of a scheme can cope with a part.
func understood(rule string, r parts.Role, leaf string) bool {
	if r == parts.ScaleInv {
		r = parts.Scale
	}
	return r == parts.Activation || slices.Contains(companions[rule], r) || slices.Contains(formalities[rule], leaf)
}
