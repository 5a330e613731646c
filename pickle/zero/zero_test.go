// Checkpoints that DeepSpeed saved, whole and damaged.

package zero

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/torch"
)

// The folders are made by `.ci/interop/zero --write testdata/zero`: DeepSpeed 0.19.8 trained a model with three and two
// processes, and expected.safetensors is what its scripts zero_to_fp32 and ds_to_universal make of them.
const (
	stage2 = "../../testdata/zero/stage2"
	stage3 = "../../testdata/zero/stage3"
	tag    = "global_step2"
	first  = "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"
)

// open opens the model in a folder.
func open(t *testing.T, folder string, o Options) (*checkpoint.Checkpoint, []*checkpoint.Set) {
	t.Helper()
	opts := &checkpoint.Options{Formats: []checkpoint.Format{Format(o), torch.PyTorch(o.Torch)}}
	from, within, err := checkpoint.Locate(t.Context(), folder, opts)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := checkpoint.Discover(t.Context(), from, within, opts)
	if err != nil {
		t.Fatal(err)
	}
	cp := sets[0].Open()
	t.Cleanup(func() { cp.Close() })
	return cp, sets
}

// values returns the bytes of tensors by their names, dtypes and shapes.
func values(t *testing.T, cp *checkpoint.Checkpoint) map[string][]byte {
	t.Helper()
	found := make(map[string][]byte)
	for tensor, err := range cp.Tensors(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(tensor.Open())
		if err != nil {
			t.Fatal(err)
		}
		found[tensor.Name+" "+string(tensor.Dtype)+tensor.ShapeString()] = b
		// Any other division into reads gives the same bytes.
		for _, n := range []int{1, 7, len(b)} {
			var again []byte
			for off := 0; off < len(b); off += n {
				part := make([]byte, min(n, len(b)-off))
				if _, err := tensor.ReadAt(part, int64(off)); err != nil && err != io.EOF {
					t.Fatal(err)
				}
				again = append(again, part...)
			}
			if !bytes.Equal(again, b) {
				t.Errorf("%s in reads of %d bytes differs", tensor.Name, n)
			}
		}
	}
	return found
}

func TestDeepSpeed(t *testing.T) {
	for _, folder := range []string{stage2, stage3} {
		whole, _ := open(t, filepath.Join(folder, "expected.safetensors"), Options{})
		all := values(t, whole)
		weights := maps.Clone(all)
		maps.DeleteFunc(weights, func(name string, _ []byte) bool { return strings.HasPrefix(name, "optimizer.") })
		for _, optimizer := range []bool{false, true} {
			want := weights
			if optimizer {
				want = all
			}
			cp, sets := open(t, filepath.Join(folder, tag), Options{Optimizer: optimizer})
			if len(sets) != 1 || len(sets[0].Shards) != 1 {
				t.Fatalf("%s is %d sets", folder, len(sets))
			}
			have := values(t, cp)
			// ds_to_universal does not write the number of steps in stage 3.
			maps.DeleteFunc(have, func(name string, _ []byte) bool {
				return folder == stage3 && strings.Contains(name, ".step ")
			})
			if !maps.EqualFunc(have, want, bytes.Equal) {
				t.Errorf("%s, optimizer %v: tensors\n%s\ninstead of\n%s", folder, optimizer,
					slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}

// Every file stands for the model, and what is left out is listed.
func TestParts(t *testing.T) {
	for folder, files := range map[string]int{stage2: 4, stage3: 4} {
		names, err := filepath.Glob(filepath.Join(folder, tag, "*.pt"))
		if err != nil || len(names) != files {
			t.Fatal(names, err)
		}
		for _, name := range names {
			cp, sets := open(t, name, Options{})
			opened, err := cp.Opened(t.Context(), sets[0].Shards[0])
			if err != nil {
				t.Fatal(err)
			}
			own, ok := opened.(*Checkpoint)
			if !ok || len(own.Files()) != files {
				t.Fatalf("%s is opened as %T", name, opened)
			}
			var paths []string
			for _, s := range own.Skipped() {
				paths = append(paths, s.Path)
			}
			for _, want := range []string{"optimizer_state_dict", "module", "optimizer_state_dict.loss_scaler", "ds_config"} {
				if !slices.ContainsFunc(paths, func(p string) bool { return p == want || strings.HasPrefix(p, want+".") }) {
					t.Errorf("%s: %s is not listed as skipped: %s", name, want, paths)
				}
			}
		}
	}
}

// copied returns a copy of a folder with other files: each change is a new name and the name of the file to have, or ""
// for none.
func copied(t *testing.T, folder string, changes ...string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(filepath.Join(folder, tag))); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "" {
			if err := os.Remove(filepath.Join(to, changes[i])); err != nil {
				t.Fatal(err)
			}
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, tag, changes[i+1]))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, changes[i]), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// What is missing or does not belong together is an error that names the file.
func TestDamaged(t *testing.T) {
	rank := func(n string) string { return strings.Replace(first, "rank_0", "rank_"+n, 1) }
	model1 := modelFile(1)
	for _, test := range []struct {
		folder, want string
		rule         safetensors.Rule
		changes      []string
	}{
		{stage2, rank("2") + `" is missing: partition_count`, checkpoint.RuleShardMissing, []string{rank("2"), ""}},
		{stage2, rank("0") + `" is missing`, checkpoint.RuleShardMissing, []string{rank("0"), ""}},
		{stage2, `"mp_rank_00_model_states.pt" is missing`, checkpoint.RuleShardMissing, []string{sharedHead, ""}},
		{stage3, `"zero_pp_rank_0_mp_rank_00_model_states.pt" is missing`, checkpoint.RuleShardMissing, []string{dividedHead, ""}},
		{stage3, `"zero_pp_rank_1_mp_rank_00_model_states.pt" is missing`, checkpoint.RuleShardMissing, []string{model1, ""}},
		{stage2, rank("3") + `" is in the folder, but`, checkpoint.RuleFormatDamaged, []string{rank("3"), rank("0")}},
		{stage2, `elements`, checkpoint.RuleFormatDamaged, []string{rank("1"), rank("2"), rank("0"), rank("2")}},
		{stage3, rank("1") + `" is not a PyTorch checkpoint`, checkpoint.RuleFormatDamaged, []string{rank("1"), "../expected.safetensors"}},
	} {
		cp, sets := open(t, copied(t, test.folder, test.changes...), Options{})
		_, err := cp.Opened(t.Context(), sets[0].Shards[0])
		if !errors.Is(err, test.rule) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v of %v", test.changes, err, sets[0].Shards)
		}
	}
}

// A model file of stages 1 and 2 without the parts is a checkpoint of PyTorch.
func TestAlone(t *testing.T) {
	dir := copied(t, stage2)
	parts, _ := filepath.Glob(filepath.Join(dir, "*"+optimizerEnd))
	for _, name := range parts {
		os.Remove(name)
	}
	cp, _ := open(t, dir, Options{})
	if have := values(t, cp); have["embed.weight BF16[11, 7]"] == nil {
		t.Errorf("tensors %v", slices.Sorted(maps.Keys(have)))
	}
}

func TestNames(t *testing.T) {
	for base, want := range map[string]string{
		"mp_rank_00_model_states.pt":                     sharedHead,
		"mp_rank_01_model_states.pt":                     sharedHead,
		"zero_pp_rank_11_mp_rank_00_model_states.pt":     dividedHead,
		"bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt": sharedHead,
		"zero_pp_rank_1_mp_rank_00_optim_states.pt":      sharedHead,
		"mp_rank_00_optim_states.pt":                     "",
		"bf16_zero_pp_rank_1_mp_rank_00_model_states.pt": "",
		"zero_pp_rank_x_mp_rank_00_model_states.pt":      "",
		"zero_pp_rank_1_model_states.pt":                 "",
		"layer_01-model_00-model_states.pt":              "",
		"model_states.pt":                                "",
		"mp_rank_99999999999999999999_model_states.pt":   "",
	} {
		have := ""
		if list := heads(base); len(list) > 0 {
			have = list[0]
		}
		if have != want {
			t.Errorf("the head of %s is %q", base, have)
		}
	}
}
