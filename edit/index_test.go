// Indexes that are written for shards, or removed.

package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/edit"
)

// rewrite changes a text in a file.
func rewrite(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), old, new)
	if changed == string(text) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.WriteFile(name, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Fix writes the index of shards that have none, or one of another sharding, and does not touch the shards.
func TestFixWritesAnIndex(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, index string){
		"no index": func(t *testing.T, index string) {
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
		},
		"an index of another sharding": func(t *testing.T, index string) { rewrite(t, index, "-of-00003", "-of-00004") },
	} {
		for _, byIndex := range []bool{false, true} {
			dir := sharded(t)
			index := filepath.Join(dir, indexName)
			want, err := os.ReadFile(index)
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, index)
			ref := dir
			if byIndex {
				if ref = index; name == "no index" {
					continue
				}
			}
			before := stat(t, filepath.Join(dir, threeShards[0]))
			if _, err := (&edit.Edit{Set: map[string]string{"a": "b"}}).PlanInPlace(t.Context(), index); err == nil {
				t.Errorf("%s: an edit of the index that does not fix it", name)
			}
			r, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), ref)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, err := os.ReadFile(index); err != nil || string(got) != string(want) {
				t.Errorf("%s: the index is %s, want %s", name, got, want)
			}
			if !os.SameFile(before, stat(t, filepath.Join(dir, threeShards[0]))) || r.Index.Action != edit.Written ||
				len(r.Mended) != 1 || r.Mended[0].File != index {
				t.Errorf("%s: the receipt is %+v", name, r)
			}
			checkSet(t, dir, threeShards...)
			if r, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), dir); err != nil || len(r.Mended) > 0 {
				t.Errorf("%s: again: %+v, %v", name, r, err)
			}
		}
	}
}

// An index is removed only if all that it is about is in the model.
func TestFixRemovesAnIndex(t *testing.T) {
	for _, test := range []struct {
		name, model string
		removed     bool
	}{
		{"merged, and the index is left", "model.safetensors", true},
		{"quantized, with the index of the original", "output.safetensors", true},
		{"another model", "vae.safetensors", false},
	} {
		for _, byIndex := range []bool{false, true} {
			dir := sharded(t)
			index := filepath.Join(dir, indexName)
			for _, shard := range threeShards[1:] {
				if err := os.Remove(filepath.Join(dir, shard)); err != nil {
					t.Fatal(err)
				}
			}
			model := filepath.Join(dir, test.model)
			if err := os.Rename(filepath.Join(dir, threeShards[0]), model); err != nil {
				t.Fatal(err)
			}
			if test.model == "vae.safetensors" {
				other := raw(t, "{"+pt+entryA+","+entryB+"}", "abcdefgh")
				if err := os.Rename(other, model); err != nil {
					t.Fatal(err)
				}
			}
			ref := dir
			if byIndex {
				ref = index
			}
			r, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), ref)
			_, gone := os.Stat(index)
			switch {
			case test.removed && (err != nil || !errors.Is(gone, os.ErrNotExist) || len(r.Mended) != 1 ||
				!slices.ContainsFunc(r.Files, func(f edit.File) bool { return f.Path == index && f.Action == edit.Removed })):
				t.Errorf("%s, by index %v: %+v, %v", test.name, byIndex, r, err)
			case !test.removed && (gone != nil || byIndex && !errors.Is(err, checkpoint.RuleShardMissing)):
				t.Errorf("%s, by index %v: %v, %v", test.name, byIndex, err, gone)
			}
			if _, err := os.Stat(model); err != nil {
				t.Error(err)
			}
		}
	}
}

// What Fix does not repair is in the receipt.
func TestFixSaysWhatIsLeft(t *testing.T) {
	src := raw(t, `{"a\u0007":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, "abcd")
	r, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), src)
	if err != nil || len(r.Left) != 1 || r.Left[0].Rule != safetensors.RuleNameControl || r.Left[0].File != src {
		t.Errorf("left %v, %v", r.Left, err)
	}
	if r, err := setting("a", "b").InPlace(t.Context(), src); err != nil || r.Left != nil {
		t.Errorf("without Fix: left %v, %v", r.Left, err)
	}
}
