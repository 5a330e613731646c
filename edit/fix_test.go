// Sources that break rules: which are refused, which are mended, and how.

package edit_test

import (
	"bytes"
	"encoding/binary"
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

// raw writes a file of this header and data, whatever they are.
func raw(t testing.TB, header, data string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.safetensors")
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if err := os.WriteFile(name, append(append(b, header...), data...), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	entryA = `"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}`
	entryB = `"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}`
	pt     = `"__metadata__":{"format":"pt"},`
)

// broken are files of a as "abcd" and b as "efgh", as far as can be told. Lenient says
// whether the reference implementation reads them, and mends whether Fix does.
var broken = []struct {
	name, header, data string
	rule               safetensors.Rule
	lenient, mends     bool
}{
	{"a space before the header", ` {` + pt + entryA + `,` + entryB + `}`, "abcdefgh", safetensors.RuleHeaderStart, true, true},
	{"a line end after it", `{` + pt + entryA + `,` + entryB + "}\n", "abcdefgh", safetensors.RuleHeaderPadding, true, true},
	{"an array for an entry", `{` + pt + entryA + `,"b":["U8",[4],[4,8]]}`, "abcdefgh", safetensors.RuleMemberForm, true, true},
	{"a member that is none", `{` + pt + entryA + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8],"device":"cpu"}}`, "abcdefgh", safetensors.RuleUnknownMember, true, true},
	{"a name twice", `{` + pt + entryB + `,` + entryA + `,` + entryB + `}`, "abcdefgh", safetensors.RuleDuplicateName, true, true},
	{"bytes at the end", `{` + pt + entryA + `,` + entryB + `}`, "abcdefghXYZ", safetensors.RuleTrailing, false, true},
	{"a hole", `{` + pt + entryA + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[6,10]}}`, "abcdXYefgh", safetensors.RuleHole, false, true},
	{"a hole and bytes at the end", `{` + pt + `"a":{"dtype":"U8","shape":[4],"data_offsets":[3,7]},"b":{"dtype":"U8","shape":[4],"data_offsets":[7,11]}}`, "XYZabcdefghXY", safetensors.RuleHole, false, true},
	{"a cut-off end", `{` + pt + entryA + `,` + entryB + `}`, "abcdef", safetensors.RuleTruncated, false, false},
	{"an overlap", `{` + pt + entryA + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}}`, "abcdefg", safetensors.RuleOverlap, false, false},
	{"another size", `{` + pt + entryA + `,"b":{"dtype":"U8","shape":[5],"data_offsets":[4,8]}}`, "abcdefgh", safetensors.RuleTensorSize, false, false},
	{"no dtype", `{` + pt + entryA + `,"b":{"dtype":"U9","shape":[4],"data_offsets":[4,8]}}`, "abcdefgh", safetensors.RuleDtype, false, false},
	{"no JSON", `{` + pt + entryA + `,` + entryB + `,}`, "abcdefgh", safetensors.RuleJSON, false, false},
	{"no file of the kind", `GGUF`, "", safetensors.RuleHeaderSize, false, false},
}

func TestBrokenSources(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "no file of the kind" {
				test.header = ""
			}
			for _, way := range []struct {
				name string
				edit edit.Edit
				ok   bool
			}{
				{"as it is", edit.Edit{Set: map[string]string{"a": "b"}}, false},
				{"leniently", edit.Edit{Set: map[string]string{"a": "b"}, Lenient: true}, test.lenient},
				{"to be mended", edit.Edit{Fix: true}, test.mends},
			} {
				eachPlace(t, func(t *testing.T, do func(*edit.Edit, string) (string, *edit.Receipt, error)) {
					checkBroken(t, test.header, test.data, test.rule, &way.edit, way.name, way.ok, do)
				})
			}
			if edit.Mends(test.rule) != test.mends {
				t.Errorf("Mends is %t", edit.Mends(test.rule))
			}
		})
	}
}

func checkBroken(t *testing.T, header, data string, rule safetensors.Rule, e *edit.Edit, way string, ok bool, do func(*edit.Edit, string) (string, *edit.Receipt, error)) {
	t.Helper()
	src := raw(t, header, data)
	before, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	target, receipt, err := do(e, src)
	if !ok {
		var v *safetensors.Violation
		if !errors.As(err, &v) || header != "" && !errors.Is(err, rule) || !strings.Contains(err.Error(), src) {
			t.Errorf("%s: error %v, want one of rule %s", way, err, string(rule))
		}
		if after, err := os.ReadFile(src); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the source has changed: %v", way, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", way, err)
		return
	}
	p := parse(t, target)
	if a, b := p.entries["a"], p.entries["b"]; len(p.entries) != 2 || string(a.data)+string(b.data) != "abcdefgh" || p.metadata["format"] != "pt" {
		t.Errorf("%s: the file is %q, with %q and %q", way, p.text, a.data, b.data)
	}
	sound(t, target)
	if !slices.ContainsFunc(receipt.Mended, func(f edit.Fault) bool { return f.Rule == rule && f.File == src }) {
		t.Errorf("%s: the receipt has %v as mended", way, receipt.Mended)
	}
}

// sound checks that a file breaks no rule but those about names.
func sound(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := safetensors.Validate(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		if v.Rule != safetensors.RuleNameControl {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// The files of MLX begin their data at odd offsets, and list tensors in another order.
func TestFixOfForeignFiles(t *testing.T) {
	for _, name := range []string{"mlx/dtypes", "mlx/quantized", "python/shapes", "python/names-control"} {
		original := filepath.Join("../testdata", filepath.FromSlash(name)+".safetensors")
		src := copied(t, original)
		inPlace(t, &edit.Edit{Fix: true}, src)
		sound(t, src)
		was, is := parse(t, original), parse(t, src)
		for name, e := range was.entries {
			if is.entries[name].Dtype != e.Dtype || string(is.entries[name].data) != string(e.data) {
				t.Errorf("%s: tensor %q is another", src, name)
			}
		}
		before := stat(t, src)
		if r := inPlace(t, &edit.Edit{Fix: true}, src); r.Files[0].Action != edit.Unchanged || !os.SameFile(before, stat(t, src)) || len(r.Mended) > 0 {
			t.Errorf("%s was mended twice: %+v", name, r.Mended)
		}
	}
}

func TestFixOfSets(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		rule           safetensors.Rule
	}{
		{"the wrong size", `"total_size": 144`, `"total_size": 145`, checkpoint.RuleTotalSize},
		{"no metadata", "  \"metadata\": {\n    \"total_size\": 144\n  },\n", "", checkpoint.RuleTotalSize},
		{"the wrong shard", `"head": "` + threeShards[2] + `"`, `"head": "` + threeShards[1] + `"`, checkpoint.RuleTensorMisplaced},
		{"a tensor that is not listed", `    "head": "` + threeShards[2] + "\",\n", "", checkpoint.RuleTensorUnlisted},
	} {
		dir := sharded(t)
		name := filepath.Join(dir, indexName)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		spoilt := strings.Replace(string(text), test.old, test.new, 1)
		if spoilt == string(text) {
			t.Fatalf("the index is %s", text)
		}
		if err := os.WriteFile(name, []byte(spoilt), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), dir)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, text) {
			t.Errorf("%s: the index is %s, %v", test.name, now, err)
		}
		checkSet(t, dir, threeShards...)
		if !slices.ContainsFunc(r.Mended, func(f edit.Fault) bool { return f.Rule == test.rule && f.File == name }) || r.Index.Action != edit.Written || r.Files[2].Action != edit.Unchanged {
			t.Errorf("%s: the receipt is %+v", test.name, r)
		}
	}
}

// What one cannot tell which is meant is nothing to be mended.
func TestBrokenSets(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"a shard that is missing": func(dir string) error { return os.Remove(filepath.Join(dir, threeShards[1])) },
		"a tensor in two shards": func(dir string) error {
			b, err := os.ReadFile(filepath.Join(dir, threeShards[0]))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, threeShards[1]), b, 0o666)
		},
		"an index that is none": func(dir string) error { return os.WriteFile(filepath.Join(dir, indexName), []byte("{}"), 0o666) },
	} {
		dir := sharded(t)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		for _, e := range []*edit.Edit{setting("a", "b"), {Fix: true}} {
			_, err := e.InPlace(t.Context(), dir)
			var v *safetensors.Violation
			if !errors.As(err, &v) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// Two tensors of one name are made one if they have the same bytes, in one place or in two.
func TestFixOfDuplicates(t *testing.T) {
	const (
		first = `"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},`
		other = `"x":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}`
		array = `"x":["U8",[4],[0,4]],"y":["U8",[0],[8,8]],`
	)
	for _, test := range []struct {
		name, header, data string
		ok                 bool
	}{
		{"equal bytes", first + other, "abcdabcd", true},
		{"equal bytes, as an array", array + other, "abcdabcd", true},
		{"different bytes", first + other, "abcdefgh", false},
		{"different bytes, as an array", array + other, "abcdefgh", false},
		{"different sizes", `"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},` + other, "abc_abcd", false},
		{"no bytes and some", `"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},` + other, "abcdabcd", false},
		{"bytes beyond the end", `"x":{"dtype":"U8","shape":[4],"data_offsets":[6,10]},` + other, "abcdabcd", false},
		{"offsets that overflow", `"x":{"dtype":"U8","shape":[4],"data_offsets":[9223372036854775804,9223372036854775807]},` +
			other, "abcdabcd", false},
	} {
		src := raw(t, "{"+test.header+"}", test.data)
		before, _ := os.ReadFile(src)
		_, err := (&edit.Edit{Fix: true}).InPlace(t.Context(), src)
		if test.ok {
			if err != nil || string(parse(t, src).entries["x"].data) != "abcd" {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		after, _ := os.ReadFile(src)
		if !errors.Is(err, safetensors.RuleDuplicateName) || !bytes.Equal(before, after) {
			t.Errorf("%s: error %v", test.name, err)
		}
		if test.data == "abcdefgh" && !strings.Contains(err.Error(), "[0, 4) and [4, 8) of the data") {
			t.Errorf("%s: %v does not name both spans", test.name, err)
		}
	}
}
