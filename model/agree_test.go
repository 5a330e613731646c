// Agreement: package check calls the small models what package model calls them.

package model_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/store"
)

// What Count counts exactly and without a note about the configuration, check does not call inconsistent.
func TestCheckAgrees(t *testing.T) {
	for _, c := range packedModels() {
		t.Run(c.Name, func(t *testing.T) {
			f := c.Make()
			files, err := f.Files()
			if err != nil {
				t.Fatal(err)
			}
			fsys := make(fstest.MapFS)
			for name, b := range files {
				fsys[name] = &fstest.MapFile{Data: b}
			}
			if list := f.Shards[0].Header.Tensors; len(list) > 0 && len(f.Shards) == 1 { // the data is zeros
				one := fsys["model.safetensors"]
				one.Data = append(one.Data, make([]byte, list[len(list)-1].Offsets.End)...)
			}
			from := store.FS(fsys)
			sets, err := checkpoint.Discover(t.Context(), from, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			cp := sets[0].Open()
			defer cp.Close()
			m, err := model.Read(t.Context(), cp, false)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			n := model.Count(m)
			contradicted := strings.Contains(strings.Join(n.Notes, "\n"), "configuration says")
			for r := range check.Validate(t.Context(), from, "", sets, nil) {
				if r.Report == nil {
					continue
				}
				for _, v := range r.Violations {
					inconsistent := v.Rule == check.RuleQuantShape || v.Rule == check.RuleQuantConfig
					if inconsistent && n.Params.Exact() && !contradicted {
						t.Errorf("%s is %d parameters of %s, but %s: %s", c.Name, n.Params.High, n.Scheme, string(v.Rule), v.Detail)
					}
				}
			}
		})
	}
}
