// Schemes: each small model comes to the number that was calculated by hand.

package quant_test

import (
	"testing"

	"github.com/weightools/safetensors/quant"
	"github.com/weightools/safetensors/quant/internal/models"
)

func TestSchemes(t *testing.T) {
	for _, tt := range models.Small() {
		n := quant.Count(tt.Make().Model())
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
