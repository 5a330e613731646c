// Differences by layer and by component.

package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/diff"
	"github.com/weightools/safetensors/model"
)

// A rollup is the differences of the tensors of a layer or component whose values were compared.
type rollup struct {
	part, key string
	tensors   int // that differ
	values    diff.Values
}

// rollups returns the differences by a key, in the order of the first names.
func (d *Diff) rollups(keyOf func(*DiffChange) string) (list []rollup) {
	type at struct{ part, key string }
	index := make(map[at]int)
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Values == nil {
			continue
		}
		place := at{c.Part, keyOf(c)}
		n, ok := index[place]
		if !ok {
			n = len(list)
			index[place] = n
			list = append(list, rollup{part: c.Part, key: place.key})
		}
		list[n].tensors++
		list[n].values.Add(c.Values)
	}
	slices.SortStableFunc(list, func(a, b rollup) int {
		if d.Sort == "change" {
			if n := cmp.Compare(change(&b.values), change(&a.values)); n != 0 {
				return n
			}
		}
		return cmp.Or(cmp.Compare(a.part, b.part), typeset.CompareNames(a.key, b.key))
	})
	return list
}

// layers returns the differences by layer. The key of tensors outside of layers is "".
func (d *Diff) layers() []rollup {
	places := model.NewLocator()
	return d.rollups(func(c *DiffChange) string {
		_, layer := places.Of(c.Name, c.A.Shape)
		return layer
	})
}

// components returns the differences by component.
func (d *Diff) components() []rollup {
	places := model.NewLocator()
	return d.rollups(func(c *DiffChange) string {
		component, _ := places.Of(c.Name, c.A.Shape)
		return string(component)
	})
}

// change returns by how much values have changed: their relative L2 distance, infinite if values are NaN or infinite
// on one side only.
func change(v *diff.Values) float64 {
	if v.Odd > 0 || math.IsNaN(v.Sums.RelativeL2()) {
		return math.Inf(1)
	}
	return v.Sums.RelativeL2()
}

// distances are the distances between values in JSON.
type distances struct {
	Count       int64         `json:"count"`
	Differ      int64         `json:"differ"`
	Beyond      int64         `json:"beyond"`
	Odd         int64         `json:"odd"`
	MaxDelta    any           `json:"max_delta"` // an integer if exact
	MaxRelative encode.Finite `json:"max_relative"`
	RelativeL2  encode.Finite `json:"relative_l2"`
	Cosine      encode.Finite `json:"cosine"`
}

func distancesOf(v *diff.Values) distances {
	d := distances{v.Count, v.Differ, v.Beyond, v.Odd, encode.Finite(v.MaxDelta), encode.Finite(v.MaxRelative),
		encode.Finite(v.Sums.RelativeL2()), encode.Finite(v.Sums.Cosine())}
	if exact(v) {
		d.MaxDelta = v.MaxInteger
	}
	return d
}

// exact reports whether MaxInteger is the largest distance. For several tensors, another dtype may have a larger one.
func exact(v *diff.Values) bool {
	return v.MaxInteger > 0 && float64(v.MaxInteger) >= v.MaxDelta
}

// rollupJSON is a rollup in JSON.
type rollupJSON struct {
	Part    string `json:"part"`
	Name    string `json:"name"`
	Tensors int    `json:"tensors"`
	distances
}

func rollupsJSON(list []rollup) encode.Elements {
	return encode.List(list, func(r *rollup) any {
		return rollupJSON{r.part, r.key, r.tensors, distancesOf(&r.values)}
	})
}

// rollupTable returns rollups as a table.
func rollupTable(list []rollup, title string, s typeset.Style) *typeset.Table {
	columns := []typeset.Column{
		{Title: title, Distinct: true, Least: min(s.NameWidth(), 12), Cut: typeset.Dotted,
			Cell: func(i int) string { return labelOf(list[i].part, cmp.Or(list[i].key, "(none)")) }},
		{Title: "TENSORS", Right: true, Yields: 1, Cell: func(i int) string { return typeset.Count(int64(list[i].tensors)) }},
	}
	return &typeset.Table{N: len(list), Columns: append(columns,
		valueColumns(func(i int) *diff.Values { return &list[i].values }, false)...)}
}
