// What is said of models comes from strangers, in every word of it.

package listing

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

// hostileModel is a model whose every name and text would write to a terminal.
func hostileModel(t *testing.T) *Info {
	t.Helper()
	const bad = "\x1b]0;x\x07\u202e\n"
	h := &safetensors.Header{Metadata: map[string]string{"ss_sd_model_name": bad}, Tensors: []safetensors.TensorInfo{
		{Name: bad + ".lora_A.weight", Dtype: "F32", Shape: []int64{4, 2}},
		{Name: bad + ".lora_B.weight", Dtype: "F32", Shape: []int64{2, 5}},
		{Name: bad + ".qweight", Dtype: "I32", Shape: []int64{4, 2}},
		{Name: bad + ".scales", Dtype: bad, Shape: []int64{4, 2}},
		{Name: bad + "weight", Dtype: "U8", Shape: []int64{4, 2}},
	}}
	config := []byte(`{"architectures":["\u001b]0;x\u0007\u202e"],"model_type":"\u001b","quantization_config":{"quant_method":"\u001b[2J","bits":"\u001b"}}`)
	q := &model.Model{Files: []model.File{{Header: h}}, Config: config}
	other, err := compat.Count(compat.HFJS, q)
	if err != nil {
		t.Fatal(err)
	}
	facts := model.FactsOf(&model.Model{Files: []model.File{{Header: h}}, Config: config, Adapter: []byte(`{"base_model_name_or_path":"\u001b"}`)})
	info := NewInfo(Inventory{Targets: []string{bad}, Files: []File{{Path: bad, Header: h}}}, Selection{})
	q.Notes = []string{bad}
	info.Models = []Model{{Name: bad, Counts: model.Count(q), Facts: facts, Other: other}, {Name: bad, Counts: model.Count(q), Facts: facts}}
	return info
}

func TestHostileModels(t *testing.T) {
	info := hostileModel(t)
	for _, s := range []typeset.Style{{}, {Width: 40}, {Width: 200}} {
		var b bytes.Buffer
		info.Form.Explain = true
		if err := info.Text(&b, s); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && !typeset.Shows(r) }); i >= 0 {
			t.Errorf("width %d: %q is written", s.Width, b.String()[i:min(i+20, b.Len())])
		}
	}
	var b bytes.Buffer
	if err := info.JSON(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) || bytes.ContainsAny(b.Bytes(), "\x1b\u202e") {
		t.Errorf("%s", b.Bytes())
	}
}

// Sums of several models are those of all, and a note says whose it is.
func TestLogicalOfSeveral(t *testing.T) {
	info := hostileModel(t)
	type sums struct {
		Logical struct {
			Bounds [2]int64
			Scheme string
			Bits   float64 `json:"bits_per_param"`
			Notes  []string
		}
	}
	logical := func(models []Model) (got sums) {
		var b bytes.Buffer
		if err := (&Info{Models: models}).JSON(&b, typeset.Style{}); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	one, both := logical(info.Models[1:]).Logical, logical(info.Models).Logical
	if both.Bounds != [2]int64{2 * one.Bounds[0], 2 * one.Bounds[1]} || both.Scheme != one.Scheme || both.Bits != one.Bits {
		t.Errorf("%+v of two, %+v of one", both, one)
	}
	if len(both.Notes) <= len(one.Notes) || !strings.HasPrefix(both.Notes[0], info.Models[0].Name) {
		t.Errorf("notes %q", both.Notes)
	}
	if logicalOf(nil) != nil {
		t.Error("there is something to say of no model")
	}
}
