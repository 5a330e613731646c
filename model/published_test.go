// Published numbers: what the headers of models have to come to.

package model_test

import (
	"testing"

	"github.com/weightools/safetensors/model"
)

func TestPublishedNumbers(t *testing.T) {
	for _, tt := range publishedModels() {
		t.Run(tt.Name, func(t *testing.T) {
			f := tt.Make()
			if len(f.Shards) != tt.Shards {
				t.Errorf("%d shards, want %d", len(f.Shards), tt.Shards)
			}
			n := model.Count(f.Model())
			for _, p := range n.Dtypes {
				if p.Params.High != tt.Dtypes[p.Key] {
					t.Errorf("%s: %+v, want %d", p.Key, p.Params, tt.Dtypes[p.Key])
				}
			}
			if n.Params.High != tt.Total() || n.Unique != n.Params || len(n.Notes) > 0 {
				t.Errorf("%+v parameters, of them %+v unique, want %d; %q", n.Params, n.Unique, tt.Total(), n.Notes)
			}
		})
	}
}
