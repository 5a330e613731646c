// Receipts of split and merge, as text and as JSON.

package receipt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// reshard returns a receipt of n shards of one tensor each, and their index.
func reshard(t *testing.T, n int, name string) *Reshard {
	t.Helper()
	var tensors []*safetensors.Tensor
	for i := range n {
		one, err := safetensors.NewTensor(fmt.Sprintf("%s%d", name, i), []uint8("weigh again"), 11)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, one)
	}
	w := shards.Writer{MaxShard: 11, Digests: true}
	written, err := w.Write(t.Context(), t.TempDir(), tensors...)
	if err != nil {
		t.Fatal(err)
	}
	written.Dir = "out"
	for i := range written.Files[:n] {
		written.Files[i].Name, written.Files[i].Size = fmt.Sprintf("%s-%05d-of-%05d.safetensors", name, i+1, n), 100
	}
	written.Files[n].Name, written.Files[n].Size = "m.safetensors.index.json", 50
	return &Reshard{Files: Files{Receipt: written}, Schema: "weigh.split/1", Targets: []string{"in"}, Digests: true}
}

func TestReshardText(t *testing.T) {
	r := reshard(t, 6, "w")
	r.Replaced, r.Carried.NotCopied = []string{"a"}, []string{"in/config.json", "in/LICENSE"}
	r.MaxShard = 10
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

larger than the maximum shard size, so each has a shard of its own: w0, w1, w2, w3, w4, and 1 more
replaced: out/a
removed: out/1, out/2, out/3, out/4, out/5, and 2 more
not copied: in/config.json, in/LICENSE
verified: every tensor was read again, and equals its source
wrote 6 shards and an index: 6 tensors, 66 bytes
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

func TestReshardJSON(t *testing.T) {
	r := reshard(t, 2, "w")
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
	if got.Index == nil || *got.Index != "out/m.safetensors.index.json" || !strings.HasPrefix(*got.Tensors[0].SHA256, "f01baa94") ||
		got.Totals.Files != 3 || got.Totals.Bytes != 22 || got.Totals.Size != 250 || got.Removed == nil {
		t.Errorf("%s", b.String())
	}
}

// What comes out of files says nothing to a terminal, and lines keep to its width.
func TestReshardOnATerminal(t *testing.T) {
	r := reshard(t, 3, "\x1b[2J\u202e"+strings.Repeat("x", 60))
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
