// Schemes: each small model comes to the number that was calculated by hand.

package model_test

import (
	"testing"

	"github.com/weightools/safetensors/model"
)

func TestSchemes(t *testing.T) {
	for _, tt := range packedModels() {
		n := model.Count(tt.Make().Model())
		if n.Params != tt.Want {
			t.Errorf("%s: %+v, want %+v", tt.Name, n.Params, tt.Want)
			for _, g := range n.Groups {
				t.Logf("%+v", g)
			}
		}
		for _, g := range n.Groups {
			if g.Params.Exact() != (g.Why == "") {
				t.Errorf("%s: %+v, and why is %q", tt.Name, g, g.Why)
			}
		}
	}
}

// A file of nothing but integers was made for them: to say that it has no parameters
// would say that it is empty. Beside parameters they are indices and masks.
func TestIntegersAlone(t *testing.T) {
	d := new(Draft)
	d.Add("tokens", "I64", 1000)
	d.Add("lengths", "I32", 24)
	d.Add("mask", "BOOL", 1000)
	for _, want := range []int64{2024, 1} {
		n := model.Count((&Fixture{Shards: []*Draft{d}}).Model())
		if n.Params != (model.Range{Low: want, High: want}) || n.Scheme != "" {
			t.Errorf("%+v parameters of %q, want %d", n.Params, n.Scheme, want)
		}
		d.Add("logit_scale", "F32")
	}
}
