// Folders that are made to cost time: each costs what it holds, and no more.

package checkpoint_test

import (
	"errors"
	"fmt"
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

// links returns a directory in which one file has all the names.
func links(t *testing.T, content []byte, names ...string) store.Lister {
	t.Helper()
	dir := t.TempDir()
	blob := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(blob, content, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Symlink(blob, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	return store.Dir(dir)
}

// TestOneFileUnderManyNames: it is known to be equal to itself, unread.
func TestOneFileUnderManyNames(t *testing.T) {
	const size, count = 2 << 20, 20
	content := file(t, tensor{"a", safetensors.U8, []int64{size}, 1})
	var numbers, letters []string
	for i := range count {
		numbers = append(numbers, fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, count))
		letters = append(letters, fmt.Sprintf("%c.safetensors", 'a'+i))
	}

	s := &spy{Store: links(t, content, numbers...)}
	found := validate(t, open(t, listingSpy{s}, "", nil))
	if want := strings.TrimSpace(strings.Repeat("tensor-twice ", count-1)); rules(found) != want || !strings.HasSuffix(found[0].Detail, "with equal bytes") {
		t.Errorf("shards: found %v", found)
	}
	if s.read > size {
		t.Errorf("shards: %d bytes were read, of a file of %d", s.read, len(content))
	}

	s = &spy{Store: links(t, content, letters...)}
	sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, "", nil)
	if err != nil || counts(sets) != fmt.Sprint(count, 1) {
		t.Errorf("models: %s sets, %v", counts(sets), err)
	}
	const sample = 3 * 64 << 10 // and a little for each header
	if s.read > count*(sample+1000) {
		t.Errorf("models: %d bytes were read, of %d samples of %d", s.read, count, sample)
	}
}

// TestFilesThatDifferWhereNoSampleIs: each is read once, and not once for each other.
func TestFilesThatDifferWhereNoSampleIs(t *testing.T) {
	const size, count = 1 << 20, 12
	f := make(folder)
	for i := range count {
		content := file(t, tensor{"a", safetensors.U8, []int64{size}, 1})
		content[size/4] = byte(i)
		f[fmt.Sprintf("%c.safetensors", 'a'+i)] = content
	}
	f["z.safetensors"] = f["b.safetensors"]
	s := &spy{Store: f.store()}
	sets, err := checkpoint.Discover(t.Context(), listingSpy{s}, "", nil)
	if err != nil || counts(sets) != fmt.Sprint(count+1, count) || sets[count].CopyOf != "b.safetensors" {
		t.Errorf("%s sets, %v", counts(sets), err)
	}
	const sample = 3 * 64 << 10 // and a little for each header
	if s.read > (count+1)*(size+sample+1000) {
		t.Errorf("%d bytes were read of %d files", s.read, count+1)
	}
}

// TestNamesakesAreBounded: a set is compared for its name with sixteen models.
func TestNamesakesAreBounded(t *testing.T) {
	for _, test := range []struct {
		models int
		want   string // counts, with the copy of the last model
	}{{16, "17 16"}, {17, "18 18"}} {
		f := make(folder)
		for i := range test.models {
			own := file(t, tensor{"all", safetensors.U8, []int64{1}, 1}, tensor{"own", safetensors.U8, []int64{int64(i + 1)}, 1})
			f[fmt.Sprintf("model.fp8_%02d.safetensors", i)] = own
		}
		f["model.fp8_zz.safetensors"] = file(t,
			tensor{"all", safetensors.U8, []int64{1}, 2}, tensor{"own", safetensors.U8, []int64{int64(test.models)}, 2})
		sets, err := checkpoint.Discover(t.Context(), f.store(), "", nil)
		if err != nil || counts(sets) != test.want {
			t.Errorf("%d models: %s sets, %v, want %s: %v", test.models, counts(sets), err, test.want, names(sets))
		}
	}
}

// TestIndexesOfTheSameShards: each index holds what it lists, and what the shards
// have besides is told by Validate.
func TestIndexesOfTheSameShards(t *testing.T) {
	f := folder{shardOne: file(t, f32("a", 1), f32("b", 1)), shardTwo: file(t, f32("c", 1), f32("d", 1))}
	f.index(t, "model.safetensors.index.json", map[string][]string{shardOne: {"a"}, shardTwo: {"c"}})
	f.index(t, "other.safetensors.index.json", map[string][]string{shardOne: {"b"}, shardTwo: {"d"}})
	sets, err := checkpoint.Discover(t.Context(), f.store(), "", nil)
	if err != nil || counts(sets) != "2 1" {
		t.Errorf("%s sets, %v", counts(sets), err)
	}
}

// TestFolderIsJudgedOnce: what is wrong with a folder of several models is told
// with the first of them.
func TestFolderIsJudgedOnce(t *testing.T) {
	f := make(folder)
	for _, stem := range []string{"a", "b", "c"} {
		sharded(t, f, stem, safetensors.F32)
		f[stem+"-00002-of-00002.safetensors"] = file(t, llama(safetensors.F32, stem[0])[2:]...)
	}
	f["left-over.safetensors"] = file(t, f32("x", 1))
	locked := errors.New("permission denied")
	from := faultyList{f.store(), []store.Entry{{Name: "original"}, {Name: "backup"}}, []error{locked, locked}}
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil || counts(sets) != "4 3" {
		t.Fatalf("%s sets, %v", counts(sets), err)
	}
	var said []string
	for _, set := range sets {
		for r, err := range set.Open().Validate(t.Context()) {
			switch {
			case err != nil:
				said = append(said, set.Name+": "+err.Error())
			case r.File == "":
				for _, v := range r.Violations {
					said = append(said, set.Name+": "+string(v.Rule))
				}
			}
		}
	}
	const first = "a.safetensors.index.json: "
	if want := []string{first + "permission denied", first + "permission denied", first + "shard-extra"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// TestIndexOpensNoOtherFile: nothing of a file that is no shard is opened, and so
// nothing of it is told.
func TestIndexOpensNoOtherFile(t *testing.T) {
	for _, name := range []string{".env", "keys/.hidden/x.safetensors", "id_rsa"} {
		f := folder{shardOne: file(t, f32("a", 1)), name: []byte("TOKEN=secret")}
		f[indexName] = fmt.Appendf(nil, `{"weight_map":{"a":%q,"b":%q}}`, shardOne, name)
		s := &spy{Store: f.store()}
		found := validate(t, open(t, listingSpy{s}, indexName, nil))
		if rules(found) != "index-path" || strings.Contains(fmt.Sprint(found), "secret") || slices.Contains(s.opened, name) {
			t.Errorf("%s: found %v, opened %q", name, found, s.opened)
		}
	}
}

// TestShardNameThatIsTooLong: there is no such shard.
func TestShardNameThatIsTooLong(t *testing.T) {
	dir := t.TempDir()
	index := fmt.Sprintf(`{"weight_map":{"a":"%s.safetensors"}}`, strings.Repeat("x", 300))
	if err := os.WriteFile(filepath.Join(dir, indexName), []byte(index), 0o666); err != nil {
		t.Fatal(err)
	}
	cp, err := checkpoint.New(t.Context(), store.Dir(dir), indexName, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found := validate(t, cp); rules(found) != "shard-missing" {
		t.Errorf("found %v", found)
	}
	if _, err := cp.Tensor(t.Context(), "a"); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a tensor that the index has: %v", err)
	}
}

// TestHostileTwins: what a file says of a tensor is told in one short line.
func TestHostileTwins(t *testing.T) {
	header := func(dtype, shape string) []byte {
		text := fmt.Sprintf(`{"a":{"dtype":"%s","shape":[%s],"data_offsets":[0,0]}}`, dtype, shape)
		return append([]byte{byte(len(text)), byte(len(text) >> 8), byte(len(text) >> 16), 0, 0, 0, 0, 0}, text...)
	}
	long := strings.Repeat("1,", 50_000) + "0"
	for _, test := range []struct{ dtype, shape, says string }{
		{`\u001b[2J`, "0", `of two kinds: F32 [0] and "\x1b[2J" [0]`},
		{strings.Repeat("F", 100_000), "0", `F" (100000 bytes) [0]`},
		{"F32", long, "and F32 [1, 1, 1, 1, 1, 1, 1, 1... (50001 dimensions)"},
	} {
		f := folder{shardOne: header("F32", "0"), shardTwo: header(test.dtype, test.shape)}
		told := false
		for _, v := range validate(t, f.open(t, "", nil)) {
			if v.Rule != checkpoint.RuleTensorConflict {
				continue
			}
			if told = true; !strings.HasSuffix(v.Detail, test.says) || len(v.Detail) > 600 {
				t.Errorf("%.700s; want %s", v.Detail, test.says)
			}
		}
		if !told {
			t.Errorf("nothing was told of %s", test.says)
		}
	}
}
