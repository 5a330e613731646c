// Files that PyTorch wrote.

package torch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// saved are the tensors that were saved by PyTorch 1.13 for the tests of the library
// gopickle (pytorch/pytorch_test.go there), by the dtypes in the files' names.
var saved = map[string]struct {
	dtype  safetensors.Dtype
	values []float64
}{
	"float64":  {safetensors.F64, []float64{1.2, -3.4, 5.6, -7.8}},
	"float32":  {safetensors.F32, []float64{float64(float32(1.2)), float64(float32(-3.4)), float64(float32(5.6)), float64(float32(-7.8))}},
	"float16":  {safetensors.F16, []float64{1.2001953125, -3.400390625, 5.6015625, -7.80078125}}, // the nearest with 10 bits of mantissa
	"bfloat16": {safetensors.BF16, []float64{1.203125, -3.40625, 5.59375, -7.8125}},              // with 7
	"int64":    {safetensors.I64, []float64{1, -2, 3, -4}},
	"int32":    {safetensors.I32, []float64{1, -2, 3, -4}},
	"int16":    {safetensors.I16, []float64{1, -2, 3, -4}},
	"int8":     {safetensors.I8, []float64{1, -2, 3, -4}},
	"uint8":    {safetensors.U8, []float64{1, 10, 100, 255}},
	"bool":     {safetensors.BOOL, []float64{1, 0, 1, 0}},
}

func TestFilesOfPyTorch(t *testing.T) {
	names, _ := filepath.Glob("../../../shared/fixtures/nlpodyssey+gopickle/*.pt")
	if len(names) == 0 {
		t.Skip("the files are not here")
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want := saved[strings.Split(filepath.Base(name), "_")[1]]
			cp, err := open(t, name, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(cp.Tensors) != 1 || len(cp.Skipped)+len(cp.Warnings) > 0 {
				t.Fatalf("%+v", cp)
			}
			tensor := cp.Tensors[0]
			got := make([]float64, tensor.NumElems())
			if _, err := safetensors.DecodeAt(tensor, got, 0); err != nil {
				t.Error(err)
			}
			format := FormatStream
			if strings.Contains(name, "_zip") {
				format = FormatZip
			}
			if tensor.Dtype != want.dtype || !slices.Equal(tensor.Shape, []int64{4}) || !slices.Equal(got, want.values) || cp.Format != format || tensor.Name != bareName {
				t.Errorf("%s: %q %s %v %v", cp.Format, tensor.Name, tensor.Dtype, tensor.Shape, got)
			}
			if err := cp.CheckSums(); err != nil {
				t.Error(err)
			}
		})
	}
}
