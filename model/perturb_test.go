// Perturbation: a count is exact only if the shapes prove it.

package model_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// perturbations change a dimension.
var perturbations = map[string]func(int64) int64{
	"doubled": func(n int64) int64 { return 2 * n }, "halved": func(n int64) int64 { return n / 2 },
	"incremented": func(n int64) int64 { return n + 1 },
}

// blockSizes are the numbers of values for each scale of formats that have only one.
var blockSizes = map[string]int64{"nvfp4": 16, "mxfp4": 32, "mxfp6": 32, "mxfp8": 32, "svdquant": 64}

// scaleLeaves are the ends of the names of scales of weights, of which each has a certain number of values.
var scaleLeaves = []string{".scales", ".s", ".scale", ".wscales", ".weight_scale", "_weight_scale", "_scale_inv", ".SCB",
	".absmax", "._scale", ".meta.scale", "_proj_scales", ".w1.scale", "_weight_scales", ".scale_weight"}

// If the packed values or the scales of a fixture had any other shape, either the count would not be exact, or the
// shapes would be those of another packing: all values would fit into the bytes at the width that is reported, and there
// would be as many scales as its groups can have.
func TestPerturbedShapesAreNotExact(t *testing.T) {
	changed, exact := 0, 0
	for _, c := range packedModels() {
		f := c.Make()
		if len(f.Shards[0].Header.Tensors) == 0 || !model.Count(f.Model()).Params.Exact() {
			continue
		}
		for i := range f.Shards[0].Header.Tensors {
			for d := range f.Shards[0].Header.Tensors[i].Shape {
				for how, by := range perturbations {
					g := c.Make()
					ti := &g.Shards[0].Header.Tensors[i]
					n := by(ti.Shape[d])
					if n == 0 || n == ti.Shape[d] {
						continue
					}
					ti.Shape[d] = n
					changed++
					if problem := notProved(g); problem != "" {
						t.Errorf("%s: %s %s to %v: %s", c.Name, ti.Name, how, ti.Shape, problem)
					} else if model.Count(g.Model()).Params.Exact() {
						exact++
					}
				}
			}
		}
	}
	t.Logf("%d changes, of which %d make another packing", changed, exact)
	if exact > changed/2 {
		t.Errorf("%d of %d changes leave the count exact", exact, changed)
	}
}

// notProved returns why a weight that is counted exactly cannot be what it is called, or "".
func notProved(f *Fixture) string {
	tensors := make(map[string]*safetensors.TensorInfo)
	for i := range f.Shards[0].Header.Tensors {
		tensors[f.Shards[0].Header.Tensors[i].Name] = &f.Shards[0].Header.Tensors[i]
	}
	for ti, v := range model.Judge(f.Model()) {
		if v.Scheme == "" || !v.Params.Exact() || v.Params.High == 0 {
			continue
		}
		size, _ := ti.Dtype.Size(ti.NumElems())
		if v.Bits > 0 && v.Scheme != "int-quantized" && !fills(v.Params.High, v.Bits, size) {
			return fmt.Sprintf("%s: %d values of %d bits in %d bytes", v.Scheme, v.Params.High, v.Bits, size)
		}
		for name, scale := range tensors {
			if !slices.ContainsFunc(scaleLeaves, func(leaf string) bool { return strings.HasSuffix(name, leaf) }) ||
				!strings.HasPrefix(name, moduleOf(ti.Name)) || scale == ti {
				continue
			}
			if !groups(v.Scheme, v.Params.High, scale.NumElems(), ti.Shape) {
				return fmt.Sprintf("%s: %d values with %d scales %v", v.Scheme, v.Params.High, scale.NumElems(), scale.Shape)
			}
		}
	}
	return ""
}

// moduleOf returns the part of a name that companions share with the weight.
func moduleOf(name string) string {
	name = strings.TrimSuffix(name, "._data._data")
	for _, end := range []string{"_blocks", "._weight_qdata", ".weight._data"} {
		name = strings.TrimSuffix(name, end)
	}
	if strings.HasSuffix(name, "gate_up_proj") || strings.HasSuffix(name, "down_proj") {
		return name
	}
	if dot := strings.LastIndexByte(name, '.'); !strings.HasSuffix(name, "_proj") && dot > 0 {
		return name[:dot+1]
	}
	return name
}

// fills reports whether so many values need the bytes, of which three eighths may be padding, or twice as many for 2:4
// sparsity.
func fills(values, width, size int64) bool {
	need := (values*width + 7) / 8
	return need <= size && need*8 >= size*5 || need == 2*size
}

// groups reports whether values can share so many scales: one for all, for a row, for a column or for a block, of a size
// that is fixed by the format, or a power of two, or a tile of such sizes.
func groups(scheme string, values, scales int64, shape []int64) bool {
	for name, size := range blockSizes {
		if strings.HasSuffix(scheme, name) && scales > 1 {
			return values == scales*size || scheme == "nvfp4" && scales%512 == 0 // laid out in tiles of 128 × 4
		}
	}
	if scales == 1 || slices.Contains(shape, scales) || slices.Contains(shape, scales/2) {
		return true
	}
	for padded := scales; padded > scales/8 && padded > 0; padded-- { // AutoAWQ pads scales
		if values%padded == 0 && values/padded >= 8 && bits.OnesCount64(uint64(values/padded)) == 1 {
			return true
		}
	}
	return values%scales == 0 && values/scales >= 8
}
