// Differences between checkpoints.

// Package compare reports checksums and the differences between two checkpoints.
package compare

import (
	"cmp"
	"io"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/diff"
)

// A Diff is the difference between two targets.
type Diff struct {
	A, B     string
	Changes  []DiffChange
	Metadata []listing.KeyChange
	Tensors  [2]int // number of compared tensors in each

	HeadersOnly, Values bool
	Unpacked            bool // packed weights are compared by their values
	All                 bool // do not combine equal changes of layers on a terminal

	Sort  string // "change" for the largest change first, "" for kinds and names
	By    string // "layer" or "component": show only those in text and CSV; "" for tensors
	Limit int    // largest number of listed changes; 0 means all
	Skip  int    // number of changes that are not listed, before the limit applies

	Kinds []diff.Kind // list only these; none means all
}

// A DiffChange is a difference in one tensor.
type DiffChange struct {
	*diff.Change
	Part string // of which part of a pipeline it is, "" if there is one alone
}

// Different reports whether there is a difference beyond the tolerance.
func (d *Diff) Different() bool {
	return len(d.Metadata) > 0 || slices.ContainsFunc(d.Changes, func(c DiffChange) bool { return !c.Within() })
}

// diffKinds are the kinds of changes in the order of reports.
var diffKinds = [...]diff.Kind{diff.Removed, diff.Added, diff.Renamed, diff.Reshaped, diff.Retyped, diff.Changed}

// Listed returns the changes of the kinds to list, in the order of names, or the largest first. Those whose values were
// not compared come last.
func (d *Diff) Listed() []DiffChange {
	list := d.Changes
	if len(d.Kinds) > 0 {
		list = slices.DeleteFunc(slices.Clone(list), func(c DiffChange) bool { return !slices.Contains(d.Kinds, c.Kind) })
	}
	if d.Sort == "change" {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b DiffChange) int {
			if a.Values == nil || b.Values == nil {
				return cmp.Compare(bit(a.Values == nil), bit(b.Values == nil))
			}
			return cmp.Compare(change(b.Values), change(a.Values))
		})
	}
	return list
}

// shown returns the changes that are listed after the first ones, up to the limit.
func (d *Diff) shown() []DiffChange {
	list := d.Listed()
	list = list[min(d.Skip, len(list)):]
	if d.Limit > 0 {
		list = list[:min(d.Limit, len(list))]
	}
	return list
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counts returns the number of changes by kind, and how many of them are within the tolerance.
func (d *Diff) counts() (kinds map[diff.Kind]int, within int) {
	kinds = make(map[diff.Kind]int)
	for _, c := range d.Changes {
		kinds[c.Kind]++
		if c.Within() {
			within++
		}
	}
	return kinds, within
}

// equal returns the number of equal tensors.
func (d *Diff) equal() int {
	kinds, _ := d.counts()
	return d.Tensors[0] - len(d.Changes) + kinds[diff.Added]
}

// A diffSide is one side of a change in JSON.
type diffSide struct {
	Dtype safetensors.Dtype `json:"dtype"`
	Shape encode.Dims       `json:"shape"`
	Bytes int64             `json:"bytes"`
}

func sideOf(ti *safetensors.TensorInfo) *diffSide {
	if ti == nil {
		return nil
	}
	return &diffSide{ti.Dtype, append(encode.Dims{}, ti.Shape...), ti.Size()}
}

// diffValues are the distances between the values of a tensor in JSON.
type diffValues struct {
	distances
	At encode.Dims `json:"at"`
}

// A ChangeEntry is a change in JSON.
type ChangeEntry struct {
	Kind      diff.Kind   `json:"kind"`
	Part      string      `json:"part"`
	Name      string      `json:"name"`
	To        *string     `json:"to"`
	A         *diffSide   `json:"a"`
	B         *diffSide   `json:"b"`
	SameBytes bool        `json:"same_bytes"`
	Within    bool        `json:"within"`
	Values    *diffValues `json:"values"`
}

// Entry returns the change for JSON.
func (c *DiffChange) Entry() ChangeEntry {
	j := ChangeEntry{Kind: c.Kind, Part: c.Part, Name: c.Name, A: sideOf(c.A), B: sideOf(c.B),
		SameBytes: c.SameBytes || c.Kind == diff.Renamed, Within: c.Within()}
	if c.Kind == diff.Renamed {
		j.To = &c.B.Name
	}
	if v := c.Values; v != nil {
		j.Values = &diffValues{distancesOf(v), indexOf(c.A, v.At)}
	}
	return j
}

// indexOf converts a row-major number to indices; nil if i is negative. A C64 element has two
// numbers.
func indexOf(ti *safetensors.TensorInfo, i int64) encode.Dims {
	if i < 0 {
		return nil
	}
	if ti.Dtype == safetensors.C64 {
		i /= 2
	}
	at := make(encode.Dims, len(ti.Shape))
	for k := len(at) - 1; k >= 0; k-- {
		if n := ti.Shape[k]; n > 0 {
			at[k], i = i%n, i/n
		}
	}
	return at
}

// JSON streams weigh.diff/1.
func (d *Diff) JSON(w io.Writer, s typeset.Style) error {
	shown := d.shown()
	return encode.Object(w, s, d.Members(encode.List(shown, func(c *DiffChange) any { return c.Entry() }), len(shown)))
}

// Members returns the members of weigh.diff/1 with some of the changes.
func (d *Diff) Members(changes any, n int) []encode.Member {
	kinds, within := d.counts()
	counts := []encode.Member{}
	for _, k := range diffKinds {
		counts = append(counts, encode.M(string(k), kinds[k]))
	}
	counts = append(counts, encode.M("within", within), encode.M("equal", d.equal()))
	return []encode.Member{
		encode.M("schema", "weigh.diff/1"),
		encode.M("a", d.A),
		encode.M("b", d.B),
		encode.M("different", d.Different()),
		encode.M("changes", changes),
		encode.M("truncated", n < len(d.Changes)),
		encode.M("layers", rollupsJSON(d.layers())),
		encode.M("components", rollupsJSON(d.components())),
		encode.M("counts", counts),
		encode.M("metadata", d.Metadata),
	}
}
