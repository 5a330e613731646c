// Tensors whose positions are in storages.

package torchfile

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// TestPlacedOpens verifies that a storage is opened once, although each row of a nested tensor is read by itself:
// opening a compressed one decompresses it.
func TestPlacedOpens(t *testing.T) {
	const rows = 100
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	tensor := func(class, key, size, stride string) string {
		return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + class + "\n" + text(key) + text("cpu") +
			"K\x64tQK\x00" + size + stride + "\x89ccollections\nOrderedDict\n)RtR"
	}
	ones := tensor("LongStorage", "ones", "K\x64K\x01\x86", "K\x01K\x01\x86")
	buffer := tensor("FloatStorage", "buffer", "K\x64\x85", "K\x01\x85")
	code := "\x80\x02ctorch._utils\n_rebuild_nested_tensor\n(" + buffer + ones + ones +
		tensor("LongStorage", "offsets", "K\x64\x85", "K\x01\x85") + "tR."
	g, err := pickle.Load(strings.NewReader(code), int64(len(code)), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := PlacedTensors(g)
	if len(list) != 1 {
		t.Fatalf("%d tensors: %v", len(list), g.Report.Findings)
	}
	opens := map[string]int{}
	fault, err := list[0].Fault(func(key string) (io.ReaderAt, error) {
		opens[key]++
		b := make([]byte, 8*rows)
		for i := range rows {
			b[8*i] = 1
			if key == "offsets" {
				b[8*i] = byte(i)
			}
		}
		return bytes.NewReader(b), nil
	}, false)
	if fault != "" || err != nil || len(opens) != 2 || opens["ones"] != 1 || opens["offsets"] != 1 {
		t.Errorf("%q, %v, opened %v", fault, err, opens)
	}
}
