// Any header and any configuration: no panic, and differences that add up.

package compat

import (
	"testing"

	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/internal/models"
)

func FuzzCompat(f *testing.F) {
	for _, c := range models.Small() {
		m := c.Make()
		f.Add(models.Lines(&m.Shards[0].Header), []byte(m.Config))
	}
	f.Fuzz(func(t *testing.T, lines, config []byte) {
		m := &model.Model{Files: []model.File{{Header: models.FromLines(lines)}}, Config: config}
		ours := model.Count(m).Params.High
		for _, name := range Names() {
			x, err := Count(name, m)
			if err != nil {
				t.Fatal(err)
			}
			if x.Refused != "" || ours > 1<<53 || x.Total > 1<<53 {
				continue // beyond that, doubles are rounded
			}
			sum := ours
			for _, d := range x.Differences {
				sum += d.Params
			}
			if sum != x.Total {
				t.Fatalf("%s: %+v lead from %d to %d, and the total is %d", name, x.Differences, ours, sum, x.Total)
			}
		}
	})
}
