// Edits of sets: shards and their index, all or none.

package edit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/edit"
)

const indexName = "model.safetensors.index.json"

// threeShards is the name of each shard of sharded, as of any set of three.
var threeShards = []string{"model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"}

// sharded writes the tensors of model as three shards, two to each, and returns the
// folder.
func sharded(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	tensors := []*safetensors.Tensor{
		tensor("h.0.norm", safetensors.F32, numbered(1, 16)), tensor("h.0.mlp", safetensors.BF16, numbered(2, 32)),
		tensor("h.1.norm", safetensors.F32, numbered(3, 16)), tensor("h.1.mlp", safetensors.BF16, numbered(4, 32)),
		tensor("head", safetensors.BF16, numbered(5, 40)), tensor("mask", safetensors.BOOL, numbered(6, 8)),
	}
	w := shards.Writer{Encoder: safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, MaxShard: 48}
	if _, err := w.Write(context.Background(), dir, tensors...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readIndex reads an index with encoding/json.
func readIndex(t testing.TB, dir string) (size int64, names map[string]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	var x struct {
		Metadata struct {
			TotalSize int64 `json:"total_size"`
		}
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(b, &x); err != nil {
		t.Fatal(err)
	}
	return x.Metadata.TotalSize, x.WeightMap
}

// checkSet checks that a folder has these shards and their index, which agree, and
// returns the tensors.
func checkSet(t testing.TB, dir string, want ...string) map[string]entry {
	t.Helper()
	size, names := readIndex(t, dir)
	all := make(map[string]entry)
	var sum int64
	for _, name := range want {
		for tensor, e := range parse(t, filepath.Join(dir, name)).entries {
			all[tensor] = e
			sum += int64(len(e.data))
			if names[tensor] != name {
				t.Errorf("the index has %s in %q, and it is in %s", tensor, names[tensor], name)
			}
		}
	}
	if len(names) != len(all) || size != sum {
		t.Errorf("the index has %d tensors of %d bytes, and the shards %d of %d", len(names), size, len(all), sum)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want)+1 {
		t.Errorf("the folder has %v", entries)
	}
	return all
}

// eachSet is eachPlace for sets: by their folder, and by their index.
func eachSet(t *testing.T, f func(t *testing.T, do func(e *edit.Edit) (string, *edit.Receipt, error))) {
	for _, named := range []string{"", indexName} {
		src := sharded(t)
		t.Run("elsewhere "+named, func(t *testing.T) {
			f(t, func(e *edit.Edit) (string, *edit.Receipt, error) {
				target := filepath.Join(t.TempDir(), "new")
				r, err := e.Write(t.Context(), filepath.Join(src, named), target)
				return target, r, err
			})
		})
		t.Run("in place "+named, func(t *testing.T) {
			f(t, func(e *edit.Edit) (string, *edit.Receipt, error) {
				r, err := e.InPlace(t.Context(), filepath.Join(src, named))
				return src, r, err
			})
		})
	}
}

func TestSetIsRenamedAndCast(t *testing.T) {
	eachSet(t, func(t *testing.T, do func(*edit.Edit) (string, *edit.Receipt, error)) {
		e := &edit.Edit{Rename: []edit.Rename{rename(t, `^h\.=>layers.`)}, Cast: []edit.Cast{{From: "F32", To: "F64"}}}
		dir, r, err := do(e)
		if err != nil {
			t.Fatal(err)
		}
		all := checkSet(t, dir, threeShards...)
		if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, []string{"head", "layers.0.mlp", "layers.0.norm", "layers.1.mlp", "layers.1.norm", "mask"}) {
			t.Errorf("the tensors are %q", got)
		}
		if all["layers.0.norm"].Dtype != "F64" || len(all["layers.1.norm"].data) != 32 || string(all["head"].data) != string(numbered(5, 40)) {
			t.Error("the tensors are not what they should be")
		}
		if r.Index.Action != edit.Written || len(r.Files) != 3 {
			t.Errorf("the receipt has %d files, and the index is %s", len(r.Files), r.Index.Action)
		}
	})
}

// A shard of which nothing is left is not there any more, and the numbers of the others
// do not look as if one were missing.
func TestShardsWithoutTensorsGo(t *testing.T) {
	eachSet(t, func(t *testing.T, do func(*edit.Edit) (string, *edit.Receipt, error)) {
		dir, r, err := do(&edit.Edit{Drop: []edit.Pattern{prefix("h.1")}})
		if err != nil {
			t.Fatal(err)
		}
		checkSet(t, dir, "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
		want := edit.Omitted
		if r.Target == "" {
			want = edit.Removed
		}
		if r.Files[1].Action != want || r.Files[1].Tensors != 0 {
			t.Errorf("the receipt has the second shard as %+v", r.Files[1])
		}
		if report := check(t, dir); report != "" {
			t.Errorf("the set breaks %s", report)
		}
	})
}

// Shards of a variant are numbered before it, and some count from 0.
func TestOtherNumbers(t *testing.T) {
	for _, test := range []struct{ name, first, second string }{
		{"m-%05d-of-00003.fp16.safetensors", "m-00001-of-00002.fp16.safetensors", "m-00002-of-00002.fp16.safetensors"},
		{"m_%d-of-3.safetensors", "m_1-of-2.safetensors", "m_2-of-2.safetensors"},
		{"part%d.safetensors", "part1.safetensors", "part3.safetensors"}, // which nothing is to be missing from,
	} {
		dir := sharded(t)
		if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
			t.Fatal(err)
		}
		for i, name := range threeShards {
			if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, fmt.Sprintf(test.name, i+1))); err != nil {
				t.Skip(err)
			}
		}
		inPlace(t, &edit.Edit{Drop: []edit.Pattern{prefix("h.1")}}, dir)
		onlyHas(t, dir, test.first, test.second)
	}
}

// check returns what a checkpoint breaks.
func check(t *testing.T, dir string) (broken string) {
	t.Helper()
	cp, err := checkpoint.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Violations {
			if v.Severity > safetensors.Note {
				broken += v.Error() + "\n"
			}
		}
	}
	return broken
}

// Only the shards that change are written, and the others are the files they were.
func TestShardsThatStayAreNotWritten(t *testing.T) {
	dir := sharded(t)
	var before []fs.FileInfo
	for _, name := range threeShards {
		before = append(before, stat(t, filepath.Join(dir, name)))
	}
	r := inPlace(t, &edit.Edit{Rename: []edit.Rename{rename(t, "^head=>lm")}}, dir)
	checkSet(t, dir, threeShards...)
	for i, name := range threeShards {
		if stays := os.SameFile(before[i], stat(t, filepath.Join(dir, name))); stays != (i != 2) || stays != (r.Files[i].Action == edit.Unchanged) {
			t.Errorf("shard %d stays: %t; it is %s", i, stays, r.Files[i].Action)
		}
	}
}

func TestMetadataOfSets(t *testing.T) {
	dir := sharded(t)
	index, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	for i, action := range []edit.Action{edit.Written, edit.Overwritten, edit.Unchanged} {
		r := inPlace(t, setting("a", strings.Repeat("b", min(i, 1))), dir)
		for _, f := range r.Files {
			if f.Action != action {
				t.Errorf("edit %d: %s is %s", i, f.Path, f.Action)
			}
		}
		checkSet(t, dir, threeShards...)
		for _, name := range threeShards {
			if got := parse(t, filepath.Join(dir, name)).metadata; len(got) != 2 || len(got["a"]) != min(i, 1) {
				t.Errorf("edit %d: %s has %q", i, name, got)
			}
		}
		if now, err := os.ReadFile(filepath.Join(dir, indexName)); err != nil || string(now) != string(index) || r.Index.Action != edit.Unchanged {
			t.Errorf("edit %d: the index is %s: %v", i, r.Index.Action, err)
		}
	}
}

// Where one shard has no room, none is overwritten: all appear at once.
func TestSetWithRoomInSomeIsWritten(t *testing.T) {
	dir := sharded(t)
	one := filepath.Join(dir, threeShards[1])
	inPlace(t, setting("a", "b"), one)
	inPlace(t, &edit.Edit{Unset: []string{"a"}}, one)
	before := stat(t, one)
	for _, f := range inPlace(t, setting("a", "b"), dir).Files {
		if f.Action != edit.Written {
			t.Errorf("%s is %s", f.Path, f.Action)
		}
	}
	if os.SameFile(before, stat(t, one)) {
		t.Error("the shard with room is the same file")
	}
	checkSet(t, dir, threeShards...)
}

// Members of the index that are none of ours stay, but for what they would be wrong
// about.
func TestIndexKeepsItsMembers(t *testing.T) {
	dir := sharded(t)
	name := filepath.Join(dir, indexName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(text), `"total_size"`, `"made_by": {"x": [1.50]}, "total_parameters": 77, "total_size"`, 1)
	if err := os.WriteFile(name, []byte(more), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		edit edit.Edit
		has  bool // total_parameters
	}{{edit.Edit{Rename: []edit.Rename{rename(t, "head=>lm")}}, true}, {edit.Edit{Drop: []edit.Pattern{exact("mask")}}, false}} {
		inPlace(t, &test.edit, dir)
		now, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(now), "1.50") || strings.Contains(string(now), `"total_parameters": 77`) != test.has {
			t.Errorf("the index is %s, %v", now, err)
		}
	}
}

// TestCollisionsAcrossShards: names are those of the set, not of a file.
func TestCollisionsAcrossShards(t *testing.T) {
	eachSet(t, func(t *testing.T, do func(*edit.Edit) (string, *edit.Receipt, error)) {
		_, _, err := do(&edit.Edit{Rename: []edit.Rename{rename(t, `^h\.\d\.=>h.`)}})
		if !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), `"h.0.norm" and "h.1.norm" would both be called "h.norm"`) {
			t.Errorf("error %v", err)
		}
	})
}

// Files without an index are a set, too.
func TestSetWithoutIndex(t *testing.T) {
	dir := sharded(t)
	if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
		t.Fatal(err)
	}
	inPlace(t, &edit.Edit{Rename: []edit.Rename{rename(t, "^h=>x")}}, dir)
	target := t.TempDir()
	if _, err := (&edit.Edit{Keep: []edit.Pattern{prefix("x.")}}).Write(t.Context(), dir, target); err != nil {
		t.Fatal(err)
	}
	onlyHas(t, target, "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
	if p := parse(t, filepath.Join(target, "model-00002-of-00002.safetensors")); p.entries["x.1.mlp"].Dtype != "BF16" {
		t.Errorf("the second shard is %q", p.text)
	}
}
