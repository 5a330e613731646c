// Situations rebuilt from public reports, in ../shared: the program names the cause, and its advice works.

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const casesDir = "../../../shared/cases"

// A caseStep is a command in a copy of the folder of all cases, and what it writes. In a command, CASE is the folder.
type caseStep struct {
	run  string // "ADVICE": the first command that check advised; "ADVICE 2": the second
	code int
	says []string
	not  []string
}

// cases have the steps of a user for each case.
var cases = map[string][]caseStep{
	"01-mtp-file-not-downloaded": {
		{"weigh check CASE", 1, []string{`shard "mtp.safetensors" is missing, and with it 13 tensors of the index`, "layer 2",
			"which is the MTP layer of config.json", "Download the shard"}, []string{"2 invalid"}},
	},
	"02-index-of-an-older-sharding": {
		{"weigh check CASE", 1, []string{`"model-*-of-00003.safetensors" is used as the model, and has 30 of the 30 tensors`,
			"Write the index of these shards"}, []string{"ownload"}},
		{"ADVICE", 0, []string{"model.safetensors.index.json written", "only the index was rewritten"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 3 files and 30 tensors"}, []string{"note"}},
	},
	"04-safetensors-index-only-bin-shards-whole": {
		{"weigh check CASE", 1, []string{`"model-00001-of-00002.safetensors" is missing`, `No download is needed, because "pytorch_model.bin.index.json" has the model`}, nil},
		{"ADVICE 2", 0, []string{"wrote 2 shards and an index to NEW: 12 tensors"}, nil},
		{"weigh info NEW", 0, []string{"12 tensors"}, []string{"PROBLEMS"}},
		{"ADVICE", 0, []string{"only an index was removed"}, nil},
		{"weigh check CASE", 0, []string{"Convert the weights"}, []string{"error", "invalid"}},
	},
	"05-tied-lm-head-dropped-by-save": {
		{"weigh check CASE", 0, []string{"ok; checked"}, []string{"note", "warning"}},
		{"weigh info CASE", 0, []string{`the output layer is tied to "model.embed_tokens.weight"`, "weigh edit --untie"}, nil},
		{"weigh edit --in-place --untie CASE", 0, []string{"copied model.embed_tokens.weight lm_head.weight", "written: CASE/config.json"}, []string{"warning"}},
		{"grep tie_word_embeddings CASE/config.json", 0, []string{"false"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 12 tensors"}, []string{"note"}},
		{"weigh edit --in-place --tie CASE", 0, []string{"dropped lm_head.weight"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 11 tensors"}, []string{"note"}},
	},
	"06-tied-embedding-dropped-head-kept": {
		{"weigh check CASE", 0, []string{"embedding-missing", `"lm_head.weight" of the same values is there`, "uninitialized"}, nil},
		{"ADVICE", 0, []string{"copied lm_head.weight model.embed_tokens.weight"}, nil},
		{"weigh check CASE", 0, []string{"ok, with 1 note", "tied-twice"}, []string{"warning"}},
	},
	"07-names-without-model-prefix": {
		{"weigh check CASE", 0, []string{"names-prefix", `lack the prefix "model." of LlamaForCausalLM`, `--rename '^=>model.'`}, nil},
		{"ADVICE", 0, []string{"11 renamed"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 11 tensors"}, []string{"note"}},
	},
	"09-quantised-weights-plain-config": {
		{"weigh check CASE", 0, []string{"quant-undeclared", "7 tensors", "as I8, with weight_scale", `"config.json" has no quantization_config`}, nil},
	},
	"11-gptq-narrow-module-dynamic": {
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 37 tensors"}, []string{"note", "warning"}},
		{"weigh info CASE", 0, []string{"gptq 4-bit"}, nil},
	},
	"12-adapter-names-of-another-class": {
		{"weigh check CASE", 1, []string{"adapter-base", "none of the modules of the adapter (4) is in the base", `under "language_model.model"`}, nil},
		{"ADVICE", 0, nil, nil},
		{"weigh check CASE", 0, []string{"ok; checked 2 files"}, []string{"warning"}},
	},
	"14-lora-names-of-another-trainer": {
		{"weigh check CASE", 0, []string{"adapter-label", `".default"`, "adapter-prefix", `"diffusion_model."`}, nil},
		{"ADVICE", 0, []string{"16 renamed"}, nil},
		{"weigh check CASE", 0, []string{"adapter-prefix"}, []string{"adapter-label"}},
		{"ADVICE", 0, []string{"16 renamed"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 16 tensors"}, []string{"note"}},
	},
	"15-compiled-prefix": {
		{"weigh check CASE", 0, []string{"names-wrapped", `12 tensors, the first "_orig_mod.lm_head.weight"`, "torch.compile", `--rename '^_orig_mod\.=>'`}, nil},
		{"ADVICE", 0, []string{"12 renamed"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 12 tensors"}, []string{"note"}},
	},
	"16-checkpoint-or-diffusion-model": {
		{"weigh check CASE", 0, []string{"ok; checked 2 files and 28 tensors"}, []string{"warning"}},
		{"weigh id CASE", 0, []string{"flux-style.safetensors diffusion model Flux", "sd15-style.safetensors checkpoint Stable Diffusion 1"}, nil},
	},
	"20-cache-links-lead-nowhere": {
		{"weigh check CASE", 1, []string{"cache-link", "the blob is there", "No download is needed"}, []string{"ownload it", "shard-missing"}},
		{"ADVICE", 0, []string{"2 links of the cache; the blobs are unchanged"}, nil},
		{"weigh check --data CASE", 0, []string{"ok; checked 1 file and 1 tensor"}, []string{"note"}},
	},
	"21-appledouble-sidecar": {
		{"weigh check CASE", 0, []string{"sidecar", "macOS", "dot_clean"}, nil},
		{"ADVICE", 0, nil, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 12 tensors"}, []string{"note", "warning"}},
	},
	"22-jpeg-as-weights": {
		{"weigh check CASE", 1, []string{"a JPEG image", "a PyTorch checkpoint (zip)", "It contains no weights"}, nil},
		{"ADVICE", 0, []string{"wrote NEW.safetensors: 1 tensor"}, nil},
		{"weigh check NEW.safetensors", 0, []string{"ok; checked 1 file and 1 tensor"}, nil},
	},
	"23-config-with-infinity": {
		{"weigh check CASE", 0, []string{"line 17", "Infinity", `"time_step_limit"`, "not JSON"}, nil},
	},
	"26-zero3-placeholders": {
		{"weigh check CASE", 0, []string{"ZeRO-3", "optim_states.pt", "Convert the weights", "12 tensors"}, []string{"two-copies", "shape [0]"}},
		{"ADVICE", 0, []string{"wrote NEW/model.safetensors: 12 tensors"}, nil},
	},
	"27-fsdp-rank-shards": {
		{"weigh check CASE", 0, []string{"weights-format", "pytorch-ranks", "checked 1 file and"}, []string{"damaged"}},
		{"ADVICE", 0, []string{"verified"}, nil},
		{"weigh scan CASE", 0, []string{"2 files: 2 safe"}, nil},
	},
	"28-numpy-scalar-in-checkpoint": {
		{"weigh scan CASE", 0, []string{"1 safe"}, nil},
		{"weigh check CASE", 0, []string{"PyTorch 2.6 and later refuse it by default (weights_only), because of numpy._core.multiarray.scalar"}, nil},
		{"ADVICE", 0, []string{"wrote NEW.safetensors: 2 tensors"}, []string{"cannot be represented"}},
		{"cat NEW.json", 0, []string{`"best_metric": 0.91`}, nil},
	},
	"30-storage-that-looks-like-a-pickle": {
		{"weigh scan CASE", 0, []string{"1 file: 1 safe"}, nil},
	},
	"32-owner-only-mode": {
		{"weigh check CASE", 0, []string{"file-mode", "mode 0600", "everyone can read the other files"}, nil},
		{"ADVICE", 0, nil, nil},
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 1 tensor"}, []string{"note"}},
	},
	"33-mlx-mxfp4-one-module-affine": {
		{"weigh check CASE", 1, []string{`"embed_vision.embedding_projection.weight" is packed, but lacks its biases`}, nil},
	},
	"36-awq-groups-and-tensor-parallel": {
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 26 tensors"}, []string{"note"}},
		{"weigh check --for vllm --tp 2 CASE", 1, []string{"tensor-parallel", `"mlp.down_proj" has 96 inputs in 3 groups of 32, which 2 devices cannot share`}, nil},
		{"weigh check --for vllm --tp 1 CASE", 0, nil, []string{"devices cannot share"}},
	},
	"38-shards-without-index": {
		{"weigh check CASE", 0, []string{"index-missing", "2 shards", "the shards do not change"}, nil},
		{"ADVICE", 0, []string{"only the index was rewritten", "unchanged"}, nil},
		{"weigh check CASE", 0, []string{"ok; checked 2 files and 21 tensors"}, []string{"note"}},
	},
	"41-tokenizer-larger-than-embedding": {
		{"weigh check CASE", 0, []string{"tokenizer-range", "103", "100 rows"}, nil},
	},
	"42-trainer-folder": {
		{"weigh scan CASE", 1, []string{"training_args.bin", "1 suspicious"}, []string{"dangerous"}},
		{"weigh scan --profile transformers CASE", 0, []string{"6 files: 6 safe"}, nil},
	},
	"46-fp8-to-bf16-wanted": {
		{"weigh check CASE", 0, []string{"ok; checked 1 file and 19 tensors"}, []string{"note"}},
		{"weigh edit --cast BF16 CASE -o NEW", 2, []string{"packed weights and their scales, here 14 tensors, keep their dtypes"}, nil},
	},
	"48-gguf": {
		{"weigh check CASE", 1, []string{"the file is a GGUF model, not a safetensors file"}, nil},
		{"ADVICE", 0, nil, nil},
		{"weigh info CASE/model-f32.gguf", 0, []string{"token_embd.weight F32 [8, 4]", "gguf-v3", "1 tensor"}, nil},
		{"weigh check NEW.safetensors", 0, []string{"ok; checked 1 file and 1 tensor"}, nil},
	},
}

// TestCases runs the steps of each case on a copy.
func TestCases(t *testing.T) {
	folders, err := os.ReadDir(casesDir)
	if err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, folder := range folders {
		name := folder.Name()
		if !folder.IsDir() {
			continue
		}
		steps, ok := cases[name]
		if !ok {
			t.Errorf("%s has no steps", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := copyOfCase(t, name)
			var advice []string
			for _, step := range steps {
				advice = step.take(t, dir, name, advice)
			}
		})
	}
}

// copyOfCase copies a case into a folder with its name, and returns the folder above it. Links stay as they are.
func copyOfCase(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("cp", "-R", filepath.Join(casesDir, name), dir).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil || d.Type()&os.ModeSymlink != 0:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		case strings.HasPrefix(name, "32-") && d.Name() == "model.safetensors":
			return os.Chmod(path, 0o600) // a checkout does not keep it
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// take runs the command of a step, and returns the commands that it or an earlier step advised.
func (step *caseStep) take(t *testing.T, dir, name string, advice []string) []string {
	t.Helper()
	command := strings.ReplaceAll(step.run, "CASE", name)
	if strings.HasPrefix(command, "ADVICE") {
		i := 0
		if strings.HasSuffix(command, " 2") {
			i = 1
		}
		if len(advice) <= i {
			t.Errorf("%d commands are advised", len(advice))
			return advice
		}
		command = advice[i]
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	said := oneLine(string(out))
	if code := cmd.ProcessState.ExitCode(); code != step.code {
		t.Errorf("%s: exit code %d, want %d\n%s", command, code, step.code, out)
	}
	for _, want := range step.says {
		want = strings.ReplaceAll(want, "CASE", name)
		if !strings.Contains(said, want) {
			t.Errorf("%s does not say %q\n%s", command, want, out)
		}
	}
	if i := slices.IndexFunc(step.not, func(word string) bool { return strings.Contains(said, word) }); i >= 0 {
		t.Errorf("%s says %q\n%s", command, step.not[i], out)
	}
	if !strings.HasPrefix(command, "weigh check") {
		return advice
	}
	advice = nil
	for _, found := range advised.FindAllStringSubmatch(string(out), -1) {
		advice = append(advice, found[1])
	}
	return advice
}
