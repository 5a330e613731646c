// Any header and any configuration: no panic, and differences that add up.

package model_test

import (
	"testing"

	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
)

func FuzzCompat(f *testing.F) {
	for _, c := range smallModels() {
		m := c.Make()
		f.Add(Lines(&m.Shards[0].Header), []byte(m.Config))
	}
	f.Fuzz(func(t *testing.T, lines, config []byte) {
		m := &model.Model{Files: []model.File{{Header: FromLines(lines)}}, Config: config}
		ours := model.Count(m).Params.High
		for _, name := range compat.Names() {
			x, err := compat.Count(name, m)
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
