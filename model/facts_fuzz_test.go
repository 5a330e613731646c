// Any names, shapes and configurations: no panic.

package model

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// FuzzFactsOf looks at tensors that are lines of a name and dimensions.
func FuzzFactsOf(f *testing.F) {
	for _, m := range []*Model{peft("", 4, 8), kohya(nil, 1, 2), headers("", "model.embed_tokens.weight", []int64{10, 4})} {
		var b strings.Builder
		for _, ti := range m.Files[0].Header.Tensors {
			b.WriteString(ti.Name + " " + strings.Trim(ti.ShapeString(), "[]") + "\n")
		}
		f.Add(b.String(), []byte(`{"num_hidden_layers":3,"architectures":["X"]}`), []byte(`{"r":4,"lora_alpha":8}`), []byte{1, 2, 3, 4})
	}
	f.Fuzz(func(t *testing.T, lines string, config, adapter, data []byte) {
		h := new(safetensors.Header)
		for line := range strings.Lines(lines) {
			name, dims, sized := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			ti := safetensors.TensorInfo{Name: name, Dtype: "F32", Offsets: safetensors.Span{Begin: 0, End: 4}}
			if sized {
				ti.Shape = []int64{}
			}
			for _, d := range strings.Fields(dims) {
				n, _ := strconv.ParseUint(strings.TrimSuffix(d, ","), 10, 64)
				ti.Shape = append(ti.Shape, int64(n))
			}
			h.Tensors = append(h.Tensors, ti)
		}
		got := FactsOf(&Model{Files: []File{{Header: h, Data: bytes.NewReader(data)}}, Config: config, Adapter: adapter})
		if a := got.Adapter; a != nil && (a.Modules == 0 || a.Rank.Value < 0 || a.AlphaFrom == Unknown && a.Alpha != 0) {
			t.Fatalf("%+v", a)
		}
	})
}
