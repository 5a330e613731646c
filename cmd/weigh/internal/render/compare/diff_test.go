// Differences: what is folded, what is shown of hostile names, and how wide.

package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/diff"
)

// info returns an entry of F32.
func info(name string, shape ...int64) *safetensors.TensorInfo {
	size := int64(4)
	for _, n := range shape {
		size *= n
	}
	return &safetensors.TensorInfo{Name: name, Dtype: safetensors.F32, Shape: append([]int64{}, shape...), Offsets: safetensors.Span{End: size}}
}

func removed(name string, shape ...int64) DiffChange {
	return DiffChange{Change: &diff.Change{Name: name, Kind: diff.Removed, A: info(name, shape...)}}
}

// Layers are one line where they changed alike: of one kind, dtype and shape.
func TestDiffFolds(t *testing.T) {
	d := &Diff{Tensors: [2]int{5, 1}}
	for i := range 12 {
		d.Changes = append(d.Changes, removed(fmt.Sprintf("h.%d.w", i), 2, 3))
	}
	d.Changes = append(d.Changes, removed("h.12.w", 2, 4), removed("x", 2, 3))
	d.Changes = append(d.Changes, DiffChange{Part: "unet", Change: &diff.Change{Name: "h.0.w", Kind: diff.Added, B: info("h.0.w")}})
	var b bytes.Buffer
	if err := d.Text(&b, typeset.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	want := `WHAT     TENSOR       HOW
removed  h.[0-11].w   F32 [2, 3]  × 12
removed  x            F32 [2, 3]
removed  h.12.w       F32 [2, 4]
added    unet: h.0.w  F32 []
`
	if got, _, _ := strings.Cut(b.String(), "\n\n"); got+"\n" != want {
		t.Error(cmp.Diff(want, got+"\n"))
	}
}

// Indices are those of the element, by division.
func TestIndexOf(t *testing.T) {
	complex := info("c", 2, 3)
	complex.Dtype = safetensors.C64
	for _, tt := range []struct {
		ti   *safetensors.TensorInfo
		i    int64
		want encode.Dims
	}{
		{info("x", 2, 3), 5, encode.Dims{1, 2}}, {info("x", 2, 3), 0, encode.Dims{0, 0}}, {info("x", 2, 3), -1, nil}, {info("x"), 0, encode.Dims{}},
		{complex, 11, encode.Dims{1, 2}}, {complex, 10, encode.Dims{1, 2}}, {info("x", 0, 3), 0, encode.Dims{0, 0}},
	} {
		if diff := cmp.Diff(tt.want, indexOf(tt.ti, tt.i)); diff != "" {
			t.Errorf("%d of %v (-want +got):\n%s", tt.i, tt.ti.Shape, diff)
		}
	}
}

// What a terminal would act on is escaped, whatever the width, and JSON is JSON.
func TestDiffOfHostileNames(t *testing.T) {
	evil := "a\x1b[31m\u202e\n" + strings.Repeat("x", 300)
	value := evil
	d := &Diff{A: evil, B: evil, Metadata: []listing.KeyChange{{Key: evil, A: &value}}, Changes: []DiffChange{
		{Part: evil, Change: &diff.Change{Name: evil, Kind: diff.Renamed, A: info(evil, 1), B: info(evil, 1)}},
		{Part: evil, Change: &diff.Change{Name: evil, Kind: diff.Changed, A: info(evil, 1), B: info(evil, 1), Values: &diff.Values{Count: 1, Differ: 1, Odd: 1, Beyond: 1, At: -1}}},
	}}
	d.Changes[0].A.Dtype = safetensors.Dtype(evil)
	for _, width := range []int{0, 40, 120} {
		var b bytes.Buffer
		if err := d.Text(&b, typeset.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if typeset.Line(line) != line {
				t.Errorf("a terminal would act on %q", line)
			}
			if width > 0 && typeset.Width(line) > width {
				t.Errorf("%d columns in %d: %s", typeset.Width(line), width, line)
			}
		}
	}
	var b bytes.Buffer
	if err := d.JSON(&b, typeset.Style{}); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("%v, %s", err, b.Bytes())
	}
}
