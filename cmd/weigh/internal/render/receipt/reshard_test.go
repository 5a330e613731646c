// Receipts of split and merge, as text and as JSON.

package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// reshard returns a receipt of n shards of one tensor each, and their index.
func reshard(n int, name string) *Reshard {
	r := &Reshard{Schema: SplitSchema, Targets: []string{"in"}, Index: n}
	for i := range n {
		ti := &safetensors.TensorInfo{Name: fmt.Sprintf("%s%d", name, i), Dtype: safetensors.U8, Shape: []int64{11}, Offsets: safetensors.Span{End: 11}}
		r.Files = append(r.Files, ReshardFile{Path: fmt.Sprintf("out/%s-%05d-of-%05d.safetensors", name, i+1, n), Size: 100, Data: 11, Tensors: 1})
		r.Rows = append(r.Rows, ReshardRow{TensorInfo: ti, From: "in/m.safetensors", File: i, SHA256: []byte{1, 0xab}})
	}
	r.Files = append(r.Files, ReshardFile{Path: "out/m.safetensors.index.json", Size: 50})
	return r
}

func TestReshardText(t *testing.T) {
	r := reshard(6, "w")
	r.Verified, r.Replaced, r.NotCopied = true, []string{"out/a"}, []string{"in/config.json", "in/LICENSE"}
	r.Large = []string{"w0", "w1", "w2", "w3", "w4", "w5"}
	r.Removed = []string{"1", "2", "3", "4", "5", "6", "7"}
	var b bytes.Buffer
	if err := r.Text(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	const want = `FILE                              TENSORS     BYTES  FILE SIZE
out/w-00001-of-00006.safetensors        1  11 bytes  100 bytes
out/w-00002-of-00006.safetensors        1  11 bytes  100 bytes
out/w-00003-of-00006.safetensors        1  11 bytes  100 bytes
out/w-00004-of-00006.safetensors        1  11 bytes  100 bytes
out/w-00005-of-00006.safetensors        1  11 bytes  100 bytes
out/w-00006-of-00006.safetensors        1  11 bytes  100 bytes
out/m.safetensors.index.json                          50 bytes

larger than a shard is to be, and alone in one: w0, w1, w2, w3, w4, and 1 more
replaced: out/a
removed: 1, 2, 3, 4, 5, and 2 more
not copied: in/config.json, in/LICENSE
read again: every tensor has the bytes that it had
wrote 6 shards and their index: 6 tensors, 66 bytes
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

func TestReshardJSON(t *testing.T) {
	r := reshard(2, "w")
	r.Rows[1].SHA256 = nil
	var b bytes.Buffer
	if err := r.JSON(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Index   *string
		Tensors []struct{ SHA256 *string }
		Totals  struct{ Files, Tensors, Bytes, Size int64 }
		Removed []string
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Index == nil || *got.Index != "out/m.safetensors.index.json" || *got.Tensors[0].SHA256 != "01ab" || got.Tensors[1].SHA256 != nil ||
		got.Totals.Files != 3 || got.Totals.Bytes != 22 || got.Totals.Size != 250 || got.Removed == nil {
		t.Errorf("%s", b.String())
	}
}

// What comes out of files says nothing to a terminal, and lines keep to its width.
func TestReshardOnATerminal(t *testing.T) {
	r := reshard(3, "\x1b[2J\u202e"+strings.Repeat("x", 60))
	r.Removed = []string{"\x1b]0;title\a"}
	for _, width := range []int{0, 30, 80} {
		var b bytes.Buffer
		if err := r.Text(&b, typeset.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u202e\a") {
			t.Errorf("%q", b.String())
		}
		for line := range strings.Lines(b.String()) {
			if n := typeset.Width(strings.TrimSuffix(line, "\n")); width >= 80 && n > width {
				t.Errorf("in %d columns a line of %d: %s", width, n, line)
			}
		}
	}
}
