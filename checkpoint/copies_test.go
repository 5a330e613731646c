// Copies: what is one, and what only looks like one.

package checkpoint_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// TestCopiesNeedEvidence: each case is what a folder holds beside what it is
// compared with. All have the tensors of one model; values differ unless it says
// otherwise.
func TestCopiesNeedEvidence(t *testing.T) {
	const f32, f16 = safetensors.F32, safetensors.F16
	first, second := file(t, llama(f32, 1)...), file(t, llama(f32, 2)...)
	makers := file(t, mistral(f16, 2)...)
	for _, test := range []struct {
		name string
		in   folder
		want []string
	}{
		{"steps of a training", folder{"step-100.safetensors": first, "step-200.safetensors": second},
			[]string{"model step-100.safetensors: 1", "model step-200.safetensors: 1"}},
		{"the average of a training", folder{"model.safetensors": first, "model_ema.safetensors": second},
			[]string{"model model.safetensors: 1", "model model_ema.safetensors: 1"}},
		{"steps in half precision", folder{"epoch.1.safetensors": first, "epoch.2.safetensors": file(t, llama(f16, 2)...)},
			[]string{"model epoch.1.safetensors: 1", "model epoch.2.safetensors: 1"}},
		{"versions with a dot", folder{"sd-v1.safetensors": first, "sd-v1.16.safetensors": second},
			[]string{"model sd-v1.16.safetensors: 1", "model sd-v1.safetensors: 1"}},
		{"steps in folders", folder{"step-100/model.safetensors": first, "step-200/model.safetensors": second},
			[]string{"model step-100/model.safetensors: 1", "model step-200/model.safetensors: 1"}},
		{"steps in folders, and the end of the training", folder{"model.safetensors": first, "checkpoint-100/model.safetensors": second},
			[]string{"model model.safetensors: 1", "other checkpoint-100/model.safetensors: 1"}},
		{"one file and numbered ones, without an index", folder{"model.safetensors": second, shardOne: file(t, llama(f32, 1)[:2]...), shardTwo: file(t, llama(f32, 1)[2:]...)},
			[]string{"model model-*-of-00002.safetensors: 2", "model model.safetensors: 1"}},
		{"two files in a folder called original", folder{"original/model.safetensors": first, "original/model-2.safetensors": second},
			[]string{"model original/model-2.safetensors: 1", "model original/model.safetensors: 1"}},
		{"another of the makers' files", folder{"model.safetensors": first, "consolidated_2.safetensors": second},
			[]string{"model model.safetensors: 1", "model consolidated_2.safetensors: 1"}},
		{"the makers' form of what is no model.safetensors", folder{"step-100.safetensors": first, "consolidated.safetensors": second},
			[]string{"model step-100.safetensors: 1", "model consolidated.safetensors: 1"}},
		{"averages alone", folder{"model.ema.safetensors": first, "model.non_ema.safetensors": second},
			[]string{"model model.ema.safetensors: 1", "model model.non_ema.safetensors: 1"}},
		{"a broken file beside its like", folder{"model.safetensors": first[:40], "model.fp16.safetensors": second, "model.bf16.safetensors": second[:40]},
			[]string{"model *.safetensors: 3"}},
		{"one size, and the last byte differs", folder{"a.safetensors": first, "b.safetensors": append(slices.Clone(first[:len(first)-1]), 9)},
			[]string{"model a.safetensors: 1", "model b.safetensors: 1"}},

		{"equal bytes", folder{"a.safetensors": first, "b.safetensors": first},
			[]string{"model a.safetensors: 1", "copy b.safetensors: 1 = a.safetensors"}},
		{"equal bytes in a folder below", folder{"model.safetensors": first, "backup/x.safetensors": first},
			[]string{"model model.safetensors: 1", "copy backup/x.safetensors: 1 = model.safetensors"}},
		{"precisions alone", folder{"model.fp16.safetensors": second, "model.bf16.safetensors": first},
			[]string{"model model.bf16.safetensors: 1", "copy model.fp16.safetensors: 1 = model.bf16.safetensors"}},
		{"two variants in one name", folder{"a-v1.5.safetensors": first, "a-v1.5.fp16.non_ema.safetensors": second},
			[]string{"model a-v1.5.safetensors: 1", "copy a-v1.5.fp16.non_ema.safetensors: 1 = a-v1.5.safetensors"}},
		{"the makers' form beside one file", folder{"model.safetensors": first, "consolidated.safetensors": makers, "original/x.safetensors": makers},
			[]string{"model model.safetensors: 1", "copy consolidated.safetensors: 1 = model.safetensors", "copy original/x.safetensors: 1 = model.safetensors"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := discover(t, test.in, ""); !slices.Equal(got, test.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.want, "\n\t"))
			}
			opensTheModel(t, test.in, test.want)
		})
	}
}

// TestCopiesBesideAnIndex: an index declares a model, and what it does not name is
// a copy only by its name.
func TestCopiesBesideAnIndex(t *testing.T) {
	f := make(folder)
	sharded(t, f, "model", safetensors.F32)
	f["model.safetensors"] = file(t, llama(safetensors.F32, 2)[:4]...) // a tensor less
	f["step-200.safetensors"] = file(t, llama(safetensors.F32, 2)...)
	want := []string{"model model.safetensors.index.json: 2", "other model.safetensors: 1", "other step-200.safetensors: 1"}
	if got := discover(t, f, ""); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := rules(validate(t, f.open(t, "", nil))); got != "shard-extra shard-extra" {
		t.Errorf("rules %s", got)
	}
}

// TestTwoIndexes: both declare a model, unless the name of one says that it is the
// other's.
func TestTwoIndexes(t *testing.T) {
	f := make(folder)
	sharded(t, f, "step-100", safetensors.F32)
	sharded(t, f, "step-200", safetensors.F32)
	f["step-200-00002-of-00002.safetensors"] = file(t, llama(safetensors.F32, 2)[2:]...)
	sharded(t, f, "step-200.fp16", safetensors.F16)
	want := []string{
		"model step-100.safetensors.index.json: 2", "model step-200.safetensors.index.json: 2",
		"copy step-200.fp16.safetensors.index.json: 2 = step-200.safetensors.index.json",
	}
	if got := discover(t, f, ""); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	opensTheModel(t, f, want)

	// Called a copy, and having other tensors, it is neither that nor a model.
	f = make(folder)
	sharded(t, f, "model", safetensors.F32)
	f["consolidated-1-of-1.safetensors"] = file(t, f32("x", 1))
	f.index(t, "consolidated.safetensors.index.json", map[string][]string{"consolidated-1-of-1.safetensors": {"x"}})
	want = []string{"model model.safetensors.index.json: 2", "other consolidated.safetensors.index.json: 1"}
	if got := discover(t, f, ""); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	opensTheModel(t, f, want)
}

// TestWhatIsSaidOfCopies: a report of a copy says what was compared: bytes, or names and headers.
func TestWhatIsSaidOfCopies(t *testing.T) {
	const f32, f16 = safetensors.F32, safetensors.F16
	model := file(t, llama(f32, 1)...)
	for _, test := range []struct{ name, says string }{
		{"z.safetensors", `"z.safetensors" is a copy of "model.safetensors" with equal bytes: 5 tensors in 1 file; it is not counted`},
		{"model.fp16.safetensors", `"model.fp16.safetensors" is a copy of "model.safetensors" by its name and header: it has the same tensor names and shapes, of 5 tensors; it is not counted`},
		{"consolidated.safetensors", `by its name and header: its 5 tensors have the same shapes under other names; it is not counted`},
	} {
		f := folder{"model.safetensors": model, test.name: model}
		switch test.name {
		case "model.fp16.safetensors":
			f[test.name] = file(t, llama(f16, 1)...)
		case "consolidated.safetensors":
			f[test.name] = file(t, mistral(f16, 1)...)
		}
		found := validate(t, f.open(t, "", nil))
		if rules(found) != "two-copies" || !strings.Contains(found[0].Detail, test.says) {
			t.Errorf("%s: found %v, want %q", test.name, found, test.says)
		}
	}
}

// TestHeadersOnlyComparesNothing: then equal files may be two models, and are.
func TestHeadersOnlyComparesNothing(t *testing.T) {
	model := file(t, llama(safetensors.F32, 1)...)
	f := folder{"a.safetensors": model, "b.safetensors": model}
	_, err := checkpoint.New(t.Context(), f.store(), "", &checkpoint.Options{HeadersOnly: true})
	var several *checkpoint.SeveralModelsError
	if !errors.As(err, &several) || several.Models != 2 || several.First != "a.safetensors" {
		t.Errorf("headers alone: %v", err)
	}
	if got := rules(validate(t, f.open(t, "", nil))); got != "two-copies" {
		t.Errorf("with data: %s", got)
	}
}

// TestHeadersOnlyKnowsOneFile: what is one file under two names needs no reading, as
// in the Hub's cache, where several snapshots lead to one blob.
func TestHeadersOnlyKnowsOneFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.safetensors"), file(t, llama(safetensors.F32, 1)...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "a.safetensors"), filepath.Join(dir, "b.safetensors")); err != nil {
		t.Skip(err)
	}
	sets, err := checkpoint.Discover(t.Context(), store.Dir(dir), "", &checkpoint.Options{HeadersOnly: true})
	if err != nil || len(sets) != 2 || !sets[0].Counted() || sets[1].CopyOf != "a.safetensors" {
		t.Errorf("%+v, %v; want b to be a copy of a", sets, err)
	}
}

// TestFilesAreReadOnceToCompare: many files of one size are sampled, and not
// compared each with each; and no error of reading makes a copy.
func TestFilesAreReadOnceToCompare(t *testing.T) {
	f := make(folder)
	const files = 30
	for i := range files {
		f[strings.Repeat("x", i+1)+".safetensors"] = file(t, llama(safetensors.F32, byte(i))...)
	}
	s := &spy{Store: f.store()}
	sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, "", nil)
	if err != nil || counts(sets) != "30 30" || len(s.opened) != 2*files {
		t.Errorf("%s sets, %d files opened, %v; want each opened for its header and for a sample", counts(sets), len(s.opened), err)
	}

	model := file(t, llama(safetensors.F32, 1)...)
	f = folder{"a.safetensors": model, "b.safetensors": model}
	for _, fails := range []int{3, 4, 5, 6} { // after the headers: two samples, then both files
		n := 0
		s = &spy{Store: f.store(), fail: func(_ context.Context, op string) error {
			if strings.HasPrefix(op, "open ") {
				n++
			}
			if n == fails {
				return errors.New("bad sector")
			}
			return nil
		}}
		sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, "", &checkpoint.Options{Parallel: 1})
		if err != nil || counts(sets) != "2 2" || s.open != 0 {
			t.Errorf("opening %d fails: %s sets, %v, %d open", fails, counts(sets), err, s.open)
		}
	}
}

// TestCancelComparing: what is cut short is begun again.
func TestCancelComparing(t *testing.T) {
	model := file(t, llama(safetensors.F32, 1)...)
	f := folder{"a.safetensors": model, "b.safetensors": model}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	n := 0
	s := &spy{Store: f.store(), fail: func(ctx context.Context, op string) error {
		if strings.HasPrefix(op, "open ") {
			n++
		}
		if n == 6 {
			cancel(why)
		}
		return context.Cause(ctx)
	}}
	if _, err := checkpoint.Discover(ctx, listingSpy{s}, "", &checkpoint.Options{Parallel: 1}); !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestMissingShardIsNoMissingTensor: who can do without a tensor must not do
// without a shard.
func TestMissingShardIsNoMissingTensor(t *testing.T) {
	f := two(t)
	delete(f, shardTwo)
	cp := f.open(t, "", nil)
	_, err := cp.Tensor(t.Context(), "c")
	var v *safetensors.Violation
	if !errors.As(err, &v) || v.Rule != checkpoint.RuleShardMissing || v.Tensor != "c" || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a tensor of the missing shard: %v", err)
	}
	if entry := string(f[indexName][v.Span.Begin:v.Span.End]); !strings.Contains(entry, `"c"`) || !strings.Contains(entry, shardTwo) {
		t.Errorf("the bytes at fault are %s", entry)
	}
	// An error must not search the index: all of ten thousand shards may be missing.
	for i := range cp.Index().Tensors {
		cp.Index().Tensors[i].Shard = ""
	}
	if _, err := cp.Header(t.Context(), shardTwo); !errors.As(err, &v) || v.Tensor != "b" || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the header of the missing shard, whose first tensor is b: %v", err)
	}
	if _, err := cp.Tensor(t.Context(), "x"); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, checkpoint.RuleShardMissing) {
		t.Errorf("no such tensor: %v", err)
	}

	// A file that goes after the folder was sorted by its header.
	f = folder{"a.safetensors": file(t, f32("a", 1)), "b.safetensors": file(t, f32("b", 1))}
	s := &spy{Store: f.store()}
	loose := open(t, listingSpy{s}, "", nil)
	s.fail = func(_ context.Context, op string) error {
		if op == "open a.safetensors" {
			return fs.ErrNotExist
		}
		return nil
	}
	if _, err := loose.Tensor(t.Context(), "a"); !errors.Is(err, checkpoint.RuleShardMissing) || !strings.Contains(err.Error(), `"a.safetensors"`) {
		t.Errorf("a tensor of a file that is gone: %v", err)
	}
	if _, err := tensors(t, loose); !errors.Is(err, checkpoint.RuleShardMissing) {
		t.Errorf("tensors: %v", err)
	}
}
