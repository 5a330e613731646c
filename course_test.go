// Figures that were worked out elsewhere, by hand or with other programs.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// TestHostileFiles has the nine files that a course on the format begins with.
// They are as small as their faults allow, and the rest is as it should be.
func TestHostileFiles(t *testing.T) {
	const none = safetensors.Rule("")
	huge := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for _, test := range []struct {
		name string
		file []byte
		want safetensors.Rule
	}{
		{"valid", fileOf(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), none},
		{"extra bytes", fileOf(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 9), safetensors.RuleTrailing},
		{"gap", fileOf(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}`, 6), safetensors.RuleHole},
		{"overlap", fileOf(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6), safetensors.RuleOverlap},
		{"wrong size", fileOf(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), safetensors.RuleTensorSize},
		{"duplicate key", fileOf(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 2), safetensors.RuleDuplicateName},
		{"non-string metadata", fileOf(`{"__metadata__":{"epoch":3}}`, 0), safetensors.RuleMetadata},
		{"F4 odd count", fileOf(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2), safetensors.RuleWholeBytes},
		{"huge header", append(huge, "{}"...), safetensors.RuleHeaderSize},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, err := safetensors.Validate(bytes.NewReader(test.file), int64(len(test.file)))
			if err != nil {
				t.Fatal(err)
			}
			var found []safetensors.Rule
			for _, v := range report.Violations {
				if v.Severity >= safetensors.Nonconforming {
					found = append(found, v.Rule)
				}
			}
			if test.want == none && found != nil || test.want != none && !slices.Equal(found, []safetensors.Rule{test.want}) {
				t.Errorf("broken are %q, want %q", found, test.want)
			}
			_, err = safetensors.NewFile(bytes.NewReader(test.file), int64(len(test.file)))
			if test.want == none && err != nil || test.want != none && !errors.Is(err, test.want) {
				t.Errorf("NewFile: %v, want %q", err, test.want)
			}
		})
	}
}

// TestTwoFloats takes apart the smallest useful file, byte by byte.
func TestTwoFloats(t *testing.T) {
	const name = "testdata/python/two-floats.safetensors"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// 8 bytes of length, 56 of header, 2 floats of 4: 72.
	if len(file) != 72 || f.Header.Size != 56 || f.Header.DataStart() != 64 || len(f.Header.Tensors) != 1 {
		t.Fatalf("%d bytes, header of %d, data at %d, %d tensors", len(file), f.Header.Size, f.Header.DataStart(), len(f.Header.Tensors))
	}
	ti := &f.Header.Tensors[0]
	if ti.Dtype != safetensors.F32 || !slices.Equal(ti.Shape, []int64{2}) || ti.NumElems() != 2 || ti.Size() != 8 {
		t.Errorf("%+v", ti)
	}
	if at := f.Header.FileSpan(ti); at != (safetensors.Span{Begin: 64, End: 72}) {
		t.Errorf("the data are at %v, want [64, 72)", at)
	}
	tensor, err := f.Tensor(ti.Name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensor.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{1.5, -2.0} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	// Written again, it is the same file.
	head, err := f.Header.AppendBinary(nil)
	if err != nil || !bytes.Equal(append(head, b...), file) {
		t.Errorf("written again: %q, %v", head, err)
	}
}

// qwen returns the header of a model with the dimensions of Qwen2-0.5B: biases
// on queries, keys and values, and no lm_head, which is tied to the embedding.
// All is of one dtype, so the canonical order is that of the names.
func qwen() *safetensors.Header {
	const vocab, d, ff, kv, layers = 151936, 896, 4864, 128, 24
	shapes := map[string][]int64{"model.embed_tokens.weight": {vocab, d}, "model.norm.weight": {d}}
	for i := range layers {
		layer := fmt.Sprintf("model.layers.%d.", i)
		for name, shape := range map[string][]int64{
			"input_layernorm.weight": {d}, "post_attention_layernorm.weight": {d},
			"mlp.down_proj.weight": {d, ff}, "mlp.gate_proj.weight": {ff, d}, "mlp.up_proj.weight": {ff, d},
			"self_attn.q_proj.weight": {d, d}, "self_attn.q_proj.bias": {d},
			"self_attn.k_proj.weight": {kv, d}, "self_attn.k_proj.bias": {kv},
			"self_attn.v_proj.weight": {kv, d}, "self_attn.v_proj.bias": {kv},
			"self_attn.o_proj.weight": {d, d},
		} {
			shapes[layer+name] = shape
		}
	}
	return headerInOrder(safetensors.BF16, shapes)
}

// headerInOrder returns the header of tensors of one dtype of 16 bits, in the
// order of their names.
func headerInOrder(dtype safetensors.Dtype, shapes map[string][]int64) *safetensors.Header {
	h := new(safetensors.Header)
	for name, shape := range shapes {
		h.Tensors = append(h.Tensors, safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: shape})
	}
	slices.SortFunc(h.Tensors, func(a, b safetensors.TensorInfo) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	var end int64
	for i := range h.Tensors {
		size, _ := dtype.Size(h.Tensors[i].NumElems())
		h.Tensors[i].Offsets = safetensors.Span{Begin: end, End: end + size}
		end += size
	}
	return h
}

func TestQwen(t *testing.T) {
	b, err := qwen().AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	// The text takes 32,248 bytes, a multiple of 8, so there is no padding.
	if n := binary.LittleEndian.Uint64(b); n != 32_248 || len(b) != 8+32_248 || b[len(b)-1] != '}' {
		t.Errorf("N = %d, %d bytes, want 32,248 and 8 more", n, len(b))
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var params int64
	for i := range h.Tensors {
		params += h.Tensors[i].NumElems()
	}
	// embedding 136,134,656 + 24 layers x 14,912,384 + norm 896
	if len(h.Tensors) != 290 || params != 494_032_768 {
		t.Errorf("%d tensors, %d params; want 290 and 494,032,768", len(h.Tensors), params)
	}
	if end := h.Tensors[289].Offsets.End; end != 2*494_032_768 {
		t.Errorf("the data end at %d, want two bytes for each param", end)
	}
}

// TestSample counts the checkpoint that the README shows.
func TestSample(t *testing.T) {
	type count struct{ tensors, params, bytes int64 }
	counts := make(map[safetensors.Dtype]count)
	for i := range 2 {
		f, err := safetensors.Open(fmt.Sprintf("testdata/sample/model-%05d-of-00002.safetensors", i+1))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for tensor := range f.Tensors() {
			c := counts[tensor.Dtype]
			counts[tensor.Dtype] = count{c.tensors + 1, c.params + tensor.NumElems(), c.bytes + tensor.Size()}
		}
	}
	// 297,472 bytes in all.
	want := map[safetensors.Dtype]count{safetensors.BF16: {4, 148_480, 296_960}, safetensors.F32: {2, 128, 512}}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// TestHeaderOfNomic reads a file of which only the header is there, as of a
// download that was stopped.
func TestHeaderOfNomic(t *testing.T) {
	file, err := os.ReadFile("../shared/fixtures/anchore+syft/nomic-embed-475M.header.safetensors")
	if err != nil {
		t.Skip(err)
	}
	report, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var params int64
	for i := range report.Header.Tensors {
		params += report.Header.Tensors[i].NumElems()
	}
	if n := len(report.Header.Tensors); n != 148 || params != 475_292_928 {
		t.Errorf("%d tensors, %d params; want 148 and 475,292,928", n, params)
	}
	v := report.First(safetensors.Invalid)
	if v == nil || v.Rule != safetensors.RuleTruncated || v.Span.Len() != 1_901_171_712 {
		t.Fatalf("%v, want 1,901,171,712 bytes to be missing", v)
	}
	if _, err := safetensors.NewFile(bytes.NewReader(file), int64(len(file))); !errors.Is(err, safetensors.RuleTruncated) {
		t.Errorf("NewFile: %v", err)
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(file))
	if err != nil || len(h.Tensors) != 148 {
		t.Errorf("ReadHeader: %v", err)
	}
}
