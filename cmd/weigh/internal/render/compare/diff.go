// Differences between checkpoints.

// Package compare reports checksums and the differences between two checkpoints.
package compare

import (
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
	All                 bool // do not combine equal changes of layers on a terminal
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

// diffValues are the distances between values in JSON.
type diffValues struct {
	Count       int64         `json:"count"`
	Differ      int64         `json:"differ"`
	Beyond      int64         `json:"beyond"`
	Odd         int64         `json:"odd"`
	MaxDelta    encode.Finite `json:"max_delta"`
	MaxRelative encode.Finite `json:"max_relative"`
	At          encode.Dims   `json:"at"`
}

// diffChange is a change in JSON.
type diffChange struct {
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

// json returns the change for JSON.
func (c *DiffChange) json() any {
	j := diffChange{Kind: c.Kind, Part: c.Part, Name: c.Name, A: sideOf(c.A), B: sideOf(c.B),
		SameBytes: c.SameBytes || c.Kind == diff.Renamed, Within: c.Within()}
	if c.Kind == diff.Renamed {
		j.To = &c.B.Name
	}
	if v := c.Values; v != nil {
		j.Values = &diffValues{v.Count, v.Differ, v.Beyond, v.Odd, encode.Finite(v.MaxDelta), encode.Finite(v.MaxRelative),
			indexOf(c.A, v.At)}
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
	kinds, within := d.counts()
	counts := []encode.Member{}
	for _, k := range diffKinds {
		counts = append(counts, encode.M(string(k), kinds[k]))
	}
	counts = append(counts, encode.M("within", within), encode.M("equal", d.equal()))
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.diff/1"),
		encode.M("a", d.A),
		encode.M("b", d.B),
		encode.M("different", d.Different()),
		encode.M("changes", encode.List(d.Changes, (*DiffChange).json)),
		encode.M("counts", counts),
		encode.M("metadata", d.Metadata),
	})
}
