// Shards and their names, against huggingface_hub.

package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"github.com/weightools/safetensors"
)

// hubTable is what testdata/shards.py writes.
type hubTable struct {
	Cases []struct {
		Limit  int64
		Sizes  []int64
		Shards [][]int
	}
	Names []struct {
		Shards      int
		First, Last string
	}
	Index string // of the first case
}

func readHubTable(t *testing.T) (table hubTable) {
	t.Helper()
	b, err := os.ReadFile("testdata/shards.json")
	if err == nil {
		err = json.Unmarshal(b, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// sized returns tensors of these sizes in bytes, called t0, t1 and so on, and
// without any data.
func sized(sizes ...int64) []*safetensors.Tensor {
	var tensors []*safetensors.Tensor
	for i, size := range sizes {
		tensors = append(tensors, &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{
			Name: fmt.Sprintf("t%d", i), Dtype: safetensors.U8, Shape: []int64{size}, Offsets: safetensors.Span{End: size}}})
	}
	return tensors
}

func TestShardsAreThoseOfTheHub(t *testing.T) {
	for _, test := range readHubTable(t).Cases {
		number := make(map[*safetensors.Tensor]int)
		tensors := sized(test.Sizes...)
		for i, one := range tensors {
			number[one] = i
		}
		var got [][]int
		for _, shard := range dealBySize(tensors, test.Limit) {
			var numbers []int
			for _, one := range shard {
				numbers = append(numbers, number[one])
			}
			got = append(got, numbers)
		}
		if !reflect.DeepEqual(got, test.Shards) {
			t.Errorf("sizes %d with limit %d give %d, want %d", test.Sizes, test.Limit, got, test.Shards)
		}
	}
}

func TestNamesAreThoseOfTheHub(t *testing.T) {
	for _, test := range readHubTable(t).Names {
		first, last := shardName("model", 1, test.Shards), shardName("model", test.Shards, test.Shards)
		if first != test.First || last != test.Last {
			t.Errorf("%d shards are called %s to %s, want %s to %s", test.Shards, first, last, test.First, test.Last)
		}
	}
}

// TestIndexIsThatOfTransformers plans the first case: 6, 10, 30, 2 and 2 bytes
// with a limit of 10. The tensors have no data, and none is read.
func TestIndexIsThatOfTransformers(t *testing.T) {
	table := readHubTable(t)
	w := Writer{MaxShard: table.Cases[0].Limit}
	tensors := sized(table.Cases[0].Sizes...)
	for _, one := range tensors {
		one.ReaderAt = unread{t}
	}
	p, err := w.plan("", tensors)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.text); got != table.Index {
		t.Errorf("the index is\n%swant\n%s", got, table.Index)
	}
}

// unread is a source that nobody may read.
type unread struct{ t *testing.T }

func (u unread) ReadAt(b []byte, off int64) (int, error) {
	u.t.Error("a source was read")
	return len(b), nil
}

func TestNoLimitIsOneShard(t *testing.T) {
	for _, sizes := range [][]int64{nil, {0}, {1, 1 << 40, 0, 1 << 40}} {
		if got := dealBySize(sized(sizes...), 0); len(got) != 1 || len(got[0]) != len(sizes) {
			t.Errorf("sizes %d without a limit give %d shards", sizes, len(got))
		}
	}
}

func TestShardsOfAStem(t *testing.T) {
	for _, test := range []struct {
		stem, name string
		want       bool
	}{
		{"model", "model.safetensors", true},
		{"model", "model-00001-of-00003.safetensors", true},
		{"model", "model-0-of-2.safetensors", true},
		{"model", "model-000001-of-000163.safetensors", true},
		{"model", "model-00001-of-00003.fp16.safetensors", false},
		{"model", "model.fp16-00001-of-00003.safetensors", false},
		{"model", "model.fp16.safetensors", false},
		{"model", "model-00001-of-00003.safetensors.part", false},
		{"model", "model-x-of-y.safetensors", false},
		{"model", "adapter_model.safetensors", false},
		{"model", "adapter_model-00001-of-00003.safetensors", false},
		{"model", "model-2-00001-of-00003.safetensors", false},
		{"model-2", "model-2-00001-of-00003.safetensors", true},
		{"model.fp16", "model.fp16-00001-of-00003.safetensors", true},
	} {
		if got := isShardOf(test.stem, test.name); got != test.want {
			t.Errorf("%s is a shard of %s: %t", test.name, test.stem, got)
		}
	}
}

// TestUnknownFile: a file of which the system says nothing may be an input.
func TestUnknownFile(t *testing.T) {
	dir := t.TempDir()
	known, loop := filepath.Join(dir, "known"), filepath.Join(dir, "loop")
	if err := errors.Join(os.WriteFile(known, nil, 0o666), os.Symlink(loop, loop)); err != nil {
		t.Skip(err)
	}
	s := newFileSet([]string{known})
	if !s.has(known) || s.has(filepath.Join(dir, "none")) || s.err != nil {
		t.Errorf("a set of one file: %v", s.err)
	}
	if s.has(loop) || s.err == nil {
		t.Error("a circular link is not known to be another file")
	}
	p := &Plan{Dir: dir, Replaced: []string{"loop"}, output: output{inputs: newFileSet([]string{known}), overwrite: true}}
	if err := p.guard(); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("it may be replaced: %v", err)
	}
}
