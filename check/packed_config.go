// What a configuration tells of packed weights: bits, groups and tiles.

package check

import (
	"context"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// Told is what the quantisation's configuration tells of all weights alike. What it
// does not tell, or tells of some weights otherwise, is zero.
type told struct {
	method string // "gptq", "awq", or another
	bits   int64
	group  int64   // inputs in a group; -1 is all of them
	tile   []int64 // rows and columns with one scale

	// MLX has bits and groups for all, and others for some modules, by their names.
	affine bool
	all    object
}

// quantisation returns the configuration of the quantisation, nil if there is none:
// it is a part of config.json, or a file of its own.
func (r *repository) quantisation(ctx context.Context, folder string, c *config) object {
	if c.top == nil {
		return nil
	}
	for _, from := range []object{c.top, c.text} {
		if o := from.first("quantization_config", "compression_config", "quantization").object(); o != nil {
			return o
		}
	}
	for _, name := range []string{"quantize_config.json", "quant_config.json"} {
		if o := r.config(ctx, folder, name).top; o != nil {
			return o
		}
	}
	return r.config(ctx, folder, "hf_quant_config.json").top.first("quantization").object()
}

// toldOf returns what the set's configuration tells. It is of no use if it is about
// another set.
func (m *weights) toldOf() *told {
	t := new(told)
	if !m.described || m.quant == nil {
		return t
	}
	method := strings.ToLower(m.quant.first("quant_method", "quant_type").string())
	bits, _ := m.quant.first("bits", "w_bit").int()
	group, grouped := m.quant.first("group_size", "q_group_size").int()
	if text := m.quant.first("group_size", "q_group_size").text; string(text) == "-1" {
		group = -1
	}
	// These have settings of some modules, which are found by patterns.
	for _, name := range []string{"dynamic", "extra_config"} {
		if v := m.quant.first(name); v.kind == jsonscan.Object && len(v.object()) > 0 {
			return t
		}
	}
	switch {
	case method == "gptq" || method == "awq":
		t.method, t.bits, t.group = method, bits, group
	case method == "fp8":
		t.tile = tileOf(m.quant.first("weight_block_size").ints())
	case method == "compressed-tensors":
		t.bits, t.group = groupOf(m.quant)
	case method == "" && grouped:
		t.affine, t.all = true, m.quant
	}
	if t.bits < 2 || t.bits > 8 {
		t.bits = 0
	}
	return t
}

// tileOf returns a tile of two numbers that are in range, or nil.
func tileOf(sizes []int64) []int64 {
	if len(sizes) != 2 || sizes[0] < 1 || sizes[1] < 1 || sizes[0] >= maxDimension || sizes[1] >= maxDimension {
		return nil
	}
	return sizes
}

// groupOf returns the bits and the group of compressed-tensors, if there is one group
// of settings.
func groupOf(quant object) (bits, group int64) {
	groups := quant.first("config_groups").object()
	if len(groups) != 1 {
		return 0, 0
	}
	for _, v := range groups {
		w := v.object().first("weights").object()
		if w.first("strategy").string() == "group" {
			bits, _ = w.first("num_bits").int()
			group, _ = w.first("group_size").int()
		}
	}
	return bits, group
}

// compare compares the bits and the number of groups of a weight with what is told.
func (t *told) compare(weight end, bits, in, groups int64, untold mismatches) {
	switch {
	case t.bits > 0 && bits != t.bits:
		untold.add(weight, "there are %d bits by the shape %s, and the configuration says %d", bits, weight.info.ShapeString(), t.bits)
	case t.group == -1 && groups != 1:
		untold.add(weight, "the %d inputs have %d groups of scales, and the configuration says one for all", in, groups)
	case t.group > 0 && t.group < maxDimension && groups != ceil(in, t.group):
		untold.add(weight, "the %d inputs have %d groups of scales, and the configuration's group size of %d makes %d", in, groups, t.group, ceil(in, t.group))
	}
}

// compareAffine compares a weight of MLX with what is told of its module, or else of
// all. The product of words and bits tells of inputs, and so does that of groups.
func (t *told) compareAffine(weight end, module string, words, groups int64, untold mismatches) {
	if !t.affine {
		return
	}
	from := t.all
	switch own := t.all.first(module); own.kind {
	case jsonscan.Object:
		from = own.object()
	case jsonscan.False:
		return
	}
	bits, ok := from.first("bits").int()
	group, told := from.first("group_size").int()
	if !ok || !told || bits < 2 || bits > 8 || group < 1 || group >= maxDimension {
		return
	}
	if words*32 != groups*group*bits {
		untold.add(weight, "the %d words a row hold %d numbers of the configured %d bits, and %d groups of %d make %d",
			words, words*32/bits, bits, groups, group, groups*group)
	}
}
