// Judging sets: how faults are grouped and told, and what happens to errors.

package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// many returns count tensors, of which the first is called prefix0.
func many(prefix string, count int) (tensors []tensor, names []string) {
	for i := range count {
		name := fmt.Sprintf("%s%d", prefix, i)
		tensors, names = append(tensors, f32(name, 1)), append(names, name)
	}
	return tensors, names
}

// TestFaultsAreGrouped: what is alike at fault is told once, with its number and
// the first.
func TestFaultsAreGrouped(t *testing.T) {
	a, namesA := many("a", 212)
	b, namesB := many("b", 30)
	for _, test := range []struct {
		name string
		make func(f folder)
		want []string // "rule tensor: part of the message" of each violation
	}{
		{"a missing shard", func(f folder) {
			f[shardTwo] = file(t, b...)
			f.index(t, indexName, map[string][]string{shardOne: namesA, shardTwo: namesB})
		}, []string{`shard-missing a0: shard "model-00001-of-00002.safetensors" is missing, and with it 212 tensors of the index, the first "a0"`}},

		{"a missing shard, of which some tensors are in another", func(f folder) {
			f[shardTwo] = file(t, append(b, a[:12]...)...)
			f.index(t, indexName, map[string][]string{shardOne: namesA, shardTwo: namesB})
		}, []string{
			`shard-missing a0: and with it 212 tensors of the index, the first "a0"; other shards have 12 of them`,
			`tensor-misplaced a0: 12 tensors, the first "a0", are in shard "model-00002-of-00002.safetensors", and the index puts them in shard "model-00001-of-00002.safetensors"`,
		}},

		{"an index of another version", func(f folder) {
			f[shardOne], f[shardTwo] = file(t, a[:200]...), file(t, b...)
			f.index(t, indexName, map[string][]string{shardOne: append(namesB[:3:3], namesA[100:]...), shardTwo: namesB[3:]})
		}, []string{
			`tensor-unlisted a0: 100 tensors, the first "a0", are in shard "model-00001-of-00002.safetensors", and not in the index`,
			`tensor-missing a200: 12 tensors, the first "a200", are in no shard, and the index puts them in shard "model-00001-of-00002.safetensors"`,
			`tensor-misplaced b0: 3 tensors, the first "b0", are in shard "model-00002-of-00002.safetensors", and the index puts them in shard "model-00001-of-00002.safetensors"`,
		}},

		{"twice, equal and not", func(f folder) {
			f[shardOne] = file(t, a[:20]...)
			other := slices.Clone(a[:20])
			for i := 15; i < 20; i++ {
				other[i].number = 9
			}
			f[shardTwo] = file(t, append(other, b...)...)
			f.index(t, indexName, map[string][]string{shardOne: namesA[:20], shardTwo: namesB})
		}, []string{
			`tensor-twice a0: 15 tensors, the first "a0", are in shard "model-00001-of-00002.safetensors" and in shard "model-00002-of-00002.safetensors", with equal bytes`,
			`tensor-conflict a15: 5 tensors, the first "a15", are in shard "model-00001-of-00002.safetensors" and in shard "model-00002-of-00002.safetensors", with different bytes: those of the first differ at byte 0 of 16`,
		}},

		{"a run of numbers", func(f folder) {
			f["model-00002-of-00009.safetensors"] = file(t, a[0])
			f["model-00008-of-00009.safetensors"] = file(t, a[1])
		}, []string{
			`shard-missing : shard "model-00001-of-00009.safetensors" is missing: the numbers`,
			`shard-missing : shards "model-00003-of-00009.safetensors" to "model-00007-of-00009.safetensors", 5 in number, are missing`,
			`shard-missing : shard "model-00009-of-00009.safetensors" is missing: the numbers`,
		}},

		{"a number that the index does not name either", func(f folder) {
			f["model-00001-of-00003.safetensors"], f["model-00003-of-00003.safetensors"] = file(t, a...), file(t, b...)
			f.index(t, indexName, map[string][]string{"model-00001-of-00003.safetensors": namesA, "model-00003-of-00003.safetensors": namesB})
		}, []string{`shard-missing : shard "model-00002-of-00003.safetensors" is missing: the numbers`}},

		{"a number that the folder has, and the index does not name", func(f folder) {
			f[shardOne], f[shardTwo] = file(t, a...), file(t, append(b, a[0])...)
			f.index(t, indexName, map[string][]string{shardOne: namesA})
		}, []string{`shard-extra : shard "model-00002-of-00002.safetensors" is in the folder but not in the index "model.safetensors.index.json"; it has 31 tensors, 1 of which the index lists in other shards`}},

		{"an unreadable file beside the index", func(f folder) {
			f[shardOne], f["x.safetensors"] = file(t, a...), []byte("GGUF")
			f.index(t, indexName, map[string][]string{shardOne: namesA})
			delete(f, shardTwo)
		}, []string{
			`shard-missing : shard "model-00002-of-00002.safetensors" is missing`,
			`shard-extra : shard "x.safetensors" is in the folder but not in the index "model.safetensors.index.json", and cannot be read`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(f)
			found := validate(t, f.open(t, "", nil))
			for i, v := range found {
				got := fmt.Sprintf("%s %s: %s", string(v.Rule), v.Tensor, v.Detail)
				rule, says, _ := strings.Cut(slices.Concat(test.want, make([]string, len(found)))[i], ": ")
				if !strings.HasPrefix(got, rule+": ") || !strings.Contains(got, says) {
					t.Errorf("violation %d is\n\t%s", i, got)
				}
			}
			if len(found) != len(test.want) {
				t.Errorf("%d violations, want %d", len(found), len(test.want))
			}
		})
	}
}

// TestShardThatCannotBeJudged: what a broken shard may hold is not reported as
// missing, and nothing of it as misplaced.
func TestShardThatCannotBeJudged(t *testing.T) {
	f := two(t)
	f.index(t, indexName, map[string][]string{shardOne: {"a", "b", "gone"}, shardTwo: {"c"}})
	f[shardOne] = []byte("<html></html>")
	if got := rules(validate(t, f.open(t, "", nil))); got != "not-safetensors" {
		t.Errorf("rules %s", got)
	}
}

func TestValidateGoesOnAfterErrors(t *testing.T) {
	failed := errors.New("the cable is out")
	s := &spy{Store: two(t).store(), fail: func(_ context.Context, op string) error {
		if op == "read "+shardOne {
			return failed
		}
		return nil
	}}
	var said []string
	for r, err := range open(t, listingSpy{s}, "", nil).Validate(t.Context()) {
		said = append(said, fmt.Sprintf("%s %t %t", r.File, r.Report != nil, errors.Is(err, failed)))
		if r.Report != nil && len(r.Violations) > 0 {
			t.Errorf("%q: %v", r.File, r.Violations)
		}
	}
	if want := []string{shardOne + " false true", shardTwo + " true false", " true false"}; !slices.Equal(said, want) {
		t.Errorf("reports %q, want %q", said, want)
	}
}

// TestErrorOfComparing: a shard whose header can be read, and not its data.
func TestErrorOfComparing(t *testing.T) {
	failed := errors.New("bad sector")
	f := folder{shardOne: file(t, f32("a", 1)), shardTwo: file(t, f32("a", 1), f32("b", 2))}
	s := &spy{Store: f.store()}
	cp := open(t, listingSpy{s}, "", nil)
	for _, shard := range cp.Shards() {
		if _, err := cp.Header(t.Context(), shard); err != nil {
			t.Fatal(err)
		}
	}
	s.fail = func(_ context.Context, op string) error {
		if op == "read "+shardOne {
			return failed
		}
		return nil
	}
	var errs []error
	var found []*safetensors.Violation
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			errs = append(errs, err)
		} else {
			found = append(found, r.Violations...)
		}
	}
	if len(errs) != 1 || !errors.Is(errs[0], failed) {
		t.Errorf("errors %v", errs)
	}
	if len(found) != 1 || found[0].Rule != checkpoint.RuleTensorTwice || !strings.Contains(found[0].Detail, "not compared") {
		t.Errorf("found %v", found)
	}
}

func TestHeadersOnly(t *testing.T) {
	f := folder{shardOne: file(t, f32("a", 1)), shardTwo: file(t, f32("a", 2))}
	found := validate(t, f.open(t, "", &checkpoint.Options{HeadersOnly: true}))
	if rules(found) != "tensor-twice" || !strings.Contains(found[0].Detail, "not compared") {
		t.Errorf("found %v", found)
	}
	if got := rules(validate(t, f.open(t, "", nil))); got != "tensor-conflict" {
		t.Errorf("with data: %s", got)
	}
}

// TestCompareFindsTheByte: tensors longer than what is read at once.
func TestCompareFindsTheByte(t *testing.T) {
	big := tensor{"a", safetensors.U8, []int64{3<<20 + 5}, 1}
	for _, at := range []int{0, 1<<20 - 1, 1 << 20, 3<<20 + 4} {
		other := file(t, big)
		other[len(other)-(3<<20+5)+at] = 2
		f := folder{shardOne: file(t, big), shardTwo: other}
		found := validate(t, f.open(t, "", nil))
		if want := fmt.Sprintf("at byte %d of %d", at, 3<<20+5); len(found) != 1 || !strings.HasSuffix(found[0].Detail, want) {
			t.Errorf("found %v, want %s", found, want)
		}
	}
}

// TestReportsAreTheCallersOwn: what a caller adds to a report is not in the next.
func TestReportsAreTheCallersOwn(t *testing.T) {
	f := folder{"model.safetensors": file(t, f32("a", 1))}
	cp := f.open(t, "", nil)
	for range 2 {
		for r, err := range cp.Validate(t.Context()) {
			if err != nil || len(r.Violations) > 0 {
				t.Fatalf("%q: %v, %v", r.File, r.Violations, err)
			}
			if want := int64(len(f[r.File])); r.Size != want {
				t.Errorf("%q: size %d, want %d", r.File, r.Size, want)
			}
			r.Violations = append(r.Violations, &safetensors.Violation{Rule: safetensors.RuleBoolValue})
		}
	}
}

// TestTargets: what is judged beside the files depends on what was asked for.
func TestTargets(t *testing.T) {
	f := two(t)
	f["model-00003-of-00003.safetensors"] = file(t, f32("z", 1))
	for path, want := range map[string]string{
		"":        "shard-extra",
		indexName: "", // the shards that the index names
		shardOne:  "", // one file
	} {
		if got := rules(validate(t, f.open(t, path, nil))); got != want {
			t.Errorf("%q: rules %q, want %q", path, got, want)
		}
	}
}

// TestDeadLink: a link of the Hub's cache whose blob was removed.
func TestDeadLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, shardOne), file(t, f32("a", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../blobs/gone", filepath.Join(dir, shardTwo)); err != nil {
		t.Skip(err)
	}
	check := func(says string) {
		t.Helper()
		cp, err := checkpoint.New(t.Context(), store.Dir(dir), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		found := validate(t, cp)
		if rules(found) != "shard-missing" || !strings.Contains(found[0].Detail, says) {
			t.Errorf("found %v, want that %q", found, says)
		}
	}
	check(`shard "model-00002-of-00002.safetensors" is missing, or its name is a broken link`)
	f := make(folder)
	f.index(t, indexName, map[string][]string{shardOne: {"a"}, shardTwo: {"b"}})
	if err := os.WriteFile(filepath.Join(dir, indexName), f[indexName], 0o666); err != nil {
		t.Fatal(err)
	}
	check(`shard "model-00002-of-00002.safetensors" is missing, and with it 1 tensor of the index, "b"`)
}

// TestSameAnswerEveryTime validates a folder with faults of every kind, with
// headers read one by one and side by side.
func TestSameAnswerEveryTime(t *testing.T) {
	f := make(folder)
	listed := make(map[string][]string)
	for i := range 20 {
		shard := fmt.Sprintf("model-%05d-of-00024.safetensors", i+1)
		all, names := many(fmt.Sprintf("s%d.", i), 10)
		f[shard] = file(t, append(all, f32("shared", byte(i%3)))...)
		listed[fmt.Sprintf("model-%05d-of-00024.safetensors", (i+i%2)%24+1)] = names
	}
	f.index(t, indexName, listed)
	f["left-over.safetensors"] = file(t, f32("shared", 1))
	var first string
	for _, parallel := range []int{1, 8, 3, 8} {
		said := fmt.Sprint(validate(t, f.open(t, "", &checkpoint.Options{Parallel: parallel})))
		if first == "" {
			first = said
		}
		if said != first {
			t.Errorf("%d at once: %s\nbut first: %s", parallel, said, first)
		}
	}
}

// TestFolderThatCannotBeLookedAt: it may hold a copy, so it is not passed over;
// a link to nowhere that is not called a shard is.
func TestFolderThatCannotBeLookedAt(t *testing.T) {
	locked := errors.New("permission denied")
	from := faultyList{two(t).store(), []store.Entry{{Name: "original"}, {Name: "README.md"}}, []error{locked, fs.ErrNotExist}}
	var errs []error
	for r, err := range open(t, from, "", nil).Validate(t.Context()) {
		if err != nil {
			errs = append(errs, err)
		} else if len(r.Violations) > 0 {
			t.Errorf("%q: %v", r.File, r.Violations)
		}
	}
	if len(errs) != 1 || !errors.Is(errs[0], locked) {
		t.Errorf("errors %v, want %v", errs, locked)
	}
	ends := faultyList{two(t).store(), []store.Entry{{}}, []error{locked}}
	if _, err := checkpoint.New(t.Context(), ends, "", nil); !errors.Is(err, locked) {
		t.Errorf("a listing that fails: %v", err)
	}
}

// A faultyList is a store whose listing begins with errors.
type faultyList struct {
	store.Lister
	entries []store.Entry
	errs    []error
}

func (l faultyList) List(ctx context.Context, folder string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for i, e := range l.entries {
			if !yield(e, l.errs[i]) || e.Name == "" {
				return
			}
		}
		for e, err := range l.Lister.List(ctx, folder) {
			if !yield(e, err) {
				return
			}
		}
	}
}
