// The table of schemes.

package scheme

import (
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// A scheme is added by one row and one function.
func TestAddScheme(t *testing.T) {
	defer func(table []Scheme) { Table = table }(Table)
	Table = append([]Scheme{{
		"ternary", "ternary", parts.Weight, parts.U8, parts.Scales, "Each byte holds five ternary values.", "this test",
		func(m *Module, _ *Context) (Values, bool) {
			return Values{N: exactly(5 * m.stored(parts.Weight)), Bits: 1}, true
		},
	}}, Table...)
	m := &Module{Name: "up"}
	for name, shape := range map[string][]int64{"up.weight": {4, 8}, "up.scales": {4}} {
		ti := &safetensors.TensorInfo{Name: name, Dtype: safetensors.U8, Shape: shape}
		_, role := parts.Split(name)
		m.Set(role, &Tensor{Info: ti, Kinds: parts.KindOf(ti.Dtype)})
	}
	s, v := m.Match(&Context{Config: config.New(config.Files{}, new(config.Notes))})
	if s == nil || s.Name != "ternary" || v.N != exactly(160) {
		t.Errorf("%+v, %+v", s, v)
	}
}

// Every row is complete, and no two have the same name.
func TestTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range Table {
		if s.Rule == "" || s.Name == "" || s.In == 0 || s.Text == "" || s.Source == "" || s.count == nil || seen[s.Rule] {
			t.Errorf("%+v", s)
		}
		if !s.Holds.Holds() || s.Needs != parts.Weight && s.Needs.Holds() {
			t.Errorf("%s: holds %d, needs %d", s.Rule, s.Holds, s.Needs)
		}
		seen[s.Rule] = true
	}
}

// 576 rows in tiles of 128 are 5, of which the last has 64.
func TestTiles(t *testing.T) {
	for _, test := range []struct {
		n, of int64
		want  bool
	}{{7168, 56, true}, {576, 5, true}, {10, 6, false}, {10, 5, true}, {10, 10, true}, {10, 11, false}, {1, 1, true}} {
		if got := isDivided(test.n, test.of); got != test.want {
			t.Errorf("isDivided(%d, %d) = %v", test.n, test.of, got)
		}
	}
}
