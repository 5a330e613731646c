// What comes of edits, read by another parser than ours.

package edit_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// A parsed file is one that encoding/json has read.
type parsed struct {
	metadata map[string]string
	entries  map[string]entry
	order    []string // names, in the order of their data
	n        int      // the header's length
	text     string
}

type entry struct {
	Dtype   string
	Shape   []int64
	Offsets [2]int `json:"data_offsets"`
	data    []byte
}

// parse reads a file as the format's README has it: without this project's parser.
func parse(t testing.TB, name string) parsed {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n := int(binary.LittleEndian.Uint64(b))
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &members); err != nil {
		t.Fatalf("%s: %v in %q", name, err, b[8:8+n])
	}
	p := parsed{entries: make(map[string]entry), n: n, text: string(b[8 : 8+n])}
	end := 0
	for key, text := range members {
		if key == "__metadata__" {
			err = json.Unmarshal(text, &p.metadata)
		} else {
			var e entry
			err = json.Unmarshal(text, &e)
			e.data = b[8+n+e.Offsets[0] : 8+n+e.Offsets[1]]
			end = max(end, e.Offsets[1])
			p.entries[key] = e
			p.order = append(p.order, key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(p.order, func(a, b string) int { return p.entries[a].Offsets[0] - p.entries[b].Offsets[0] })
	if len(b) != 8+n+end {
		t.Fatalf("%s has %d bytes, and its tensors end at %d", name, len(b), 8+n+end)
	}
	return p
}

// numbered returns n bytes that differ from those of other seeds.
func numbered(seed byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = seed + byte(i)
	}
	return b
}

// tensor returns a tensor of these bytes, in one dimension.
func tensor(name string, d safetensors.Dtype, b []byte) *safetensors.Tensor {
	n := int64(len(b)) * 8 / int64(d.Bits())
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: name, Dtype: d, Shape: []int64{n}, Offsets: safetensors.Span{End: int64(len(b))}},
		ReaderAt:   bytes.NewReader(b),
	}
}

// model is the tensors of most tests, in an order that is not canonical.
func model() []*safetensors.Tensor {
	return []*safetensors.Tensor{
		tensor("h.0.norm", safetensors.F32, numbered(1, 16)),
		tensor("h.0.mlp", safetensors.BF16, numbered(2, 32)),
		tensor("h.1.norm", safetensors.F32, numbered(3, 16)),
		tensor("head", safetensors.BF16, numbered(4, 8)),
		tensor("ids", safetensors.I64, numbered(5, 24)),
		tensor("mask", safetensors.BOOL, []byte{1, 0, 1, 1, 0, 0, 0, 1}),
	}
}

// write writes tensors to a file, in their order, and returns its name.
func write(t testing.TB, e safetensors.Encoder, tensors ...*safetensors.Tensor) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.safetensors")
	e.KeepOrder = true
	if err := e.WriteFile(name, tensors...); err != nil {
		t.Fatal(err)
	}
	return name
}

// exact matches one name.
type exact string

func (e exact) Match(name string) bool { return name == string(e) }
func (e exact) String() string         { return string(e) }

// prefix matches names that begin with it.
type prefix string

func (p prefix) Match(name string) bool { return strings.HasPrefix(name, string(p)) }
func (p prefix) String() string         { return string(p) + "**" }

func rename(t testing.TB, s string) edit.Rename {
	t.Helper()
	r, err := edit.ParseRename(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// eachPlace calls f with an edit that writes elsewhere, and one in place.
func eachPlace(t *testing.T, f func(t *testing.T, do func(e *edit.Edit, src string) (string, *edit.Receipt, error))) {
	t.Run("elsewhere", func(t *testing.T) {
		f(t, func(e *edit.Edit, src string) (string, *edit.Receipt, error) {
			target := filepath.Join(t.TempDir(), "new.safetensors")
			r, err := e.Write(t.Context(), src, target)
			return target, r, err
		})
	})
	t.Run("in place", func(t *testing.T) {
		f(t, func(e *edit.Edit, src string) (string, *edit.Receipt, error) {
			r, err := e.InPlace(t.Context(), src)
			return src, r, err
		})
	})
}

// Names stand for tensors of model: what an edit makes of them, "old=new", in the
// order of their data.
func TestEdits(t *testing.T) {
	all := []string{"h.0.norm", "h.0.mlp", "h.1.norm", "head", "ids", "mask"}
	for _, test := range []struct {
		name string
		edit edit.Edit
		want []string
	}{
		{"keep", edit.Edit{Keep: []edit.Pattern{prefix("h."), exact("ids")}}, []string{"h.0.norm", "h.0.mlp", "h.1.norm", "ids"}},
		{"drop", edit.Edit{Drop: []edit.Pattern{prefix("h.1"), exact("head")}}, []string{"h.0.norm", "h.0.mlp", "ids", "mask"}},
		{"keep and drop", edit.Edit{Keep: []edit.Pattern{prefix("h")}, Drop: []edit.Pattern{exact("head")}}, []string{"h.0.norm", "h.0.mlp", "h.1.norm"}},
		// The I64 now begins at 24: after 16 bytes and 8.
		{"drop so that none is unaligned", edit.Edit{Drop: []edit.Pattern{exact("h.0.norm"), exact("h.0.mlp")}}, []string{"h.1.norm", "head", "ids", "mask"}},
		{"rename", edit.Edit{Rename: []edit.Rename{rename(t, `^h\.(\d+)\.=>layers.${1}.`)}},
			[]string{"h.0.norm=layers.0.norm", "h.0.mlp=layers.0.mlp", "h.1.norm=layers.1.norm", "head", "ids", "mask"}},
		{"rename in turn", edit.Edit{Rename: []edit.Rename{rename(t, "^h=>x"), rename(t, "xead=>lm.head")}},
			[]string{"h.0.norm=x.0.norm", "h.0.mlp=x.0.mlp", "h.1.norm=x.1.norm", "head=lm.head", "ids", "mask"}},
		{"rename every match", edit.Edit{Rename: []edit.Rename{rename(t, `\.=>/`)}},
			[]string{"h.0.norm=h/0/norm", "h.0.mlp=h/0/mlp", "h.1.norm=h/1/norm", "head", "ids", "mask"}},
		{"exchange", edit.Edit{Rename: []edit.Rename{rename(t, "^(head)$=>-$1"), rename(t, "^ids$=>head"), rename(t, "^-head$=>ids")}},
			[]string{"h.0.norm", "h.0.mlp", "h.1.norm", "head=ids", "ids=head", "mask"}},
		{"metadata", edit.Edit{Set: map[string]string{"a": "b"}}, all},
		{"align", edit.Edit{Align: 1 << 16}, all},
		// Wide before narrow, I64 F32 BF16 BOOL, and then by name.
		{"canonical", edit.Edit{Canonical: true}, []string{"ids", "h.0.norm", "h.1.norm", "h.0.mlp", "head", "mask"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachPlace(t, func(t *testing.T, do func(*edit.Edit, string) (string, *edit.Receipt, error)) {
				src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, model()...)
				was := parse(t, src)
				target, receipt, err := do(&test.edit, src)
				if err != nil {
					t.Fatal(err)
				}
				now := parse(t, target)
				var got []string
				for _, name := range test.want {
					old, new, renamed := strings.Cut(name, "=")
					if !renamed {
						new = old
					}
					got = append(got, new)
					a, b := was.entries[old], now.entries[new]
					if a.Dtype != b.Dtype || !slices.Equal(a.Shape, b.Shape) || !bytes.Equal(a.data, b.data) {
						t.Errorf("%s was %+v, and %s is %+v", old, a, new, b)
					}
				}
				if !slices.Equal(got, now.order) {
					t.Errorf("the file has %q, want %q", now.order, got)
				}
				checkReceipt(t, receipt, was, now)
				if align := max(test.edit.Align, 8); (8+now.n)%align != 0 {
					t.Errorf("the data begins at %d, no multiple of %d", 8+now.n, align)
				}
			})
		})
	}
}

func TestOrderIsCanonicalWhereElementsWouldBeUnaligned(t *testing.T) {
	src := write(t, safetensors.Encoder{},
		tensor("a", safetensors.U8, numbered(0, 4)), tensor("b", safetensors.U8, numbered(1, 4)), tensor("c", safetensors.I64, numbered(2, 8)))
	if _, err := (&edit.Edit{Drop: []edit.Pattern{exact("a")}}).InPlace(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	if got := parse(t, src).order; !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("the order is %q", got)
	}
}

// A file whose data begins on a page is one that is meant to be mapped.
func TestPagesStayPages(t *testing.T) {
	src := write(t, safetensors.Encoder{Align: 4096}, model()...)
	if _, err := (&edit.Edit{Rename: []edit.Rename{rename(t, "^h=>x")}}).InPlace(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	if p := parse(t, src); (8+p.n)%4096 != 0 {
		t.Errorf("the data begins at %d", 8+p.n)
	}
}

func TestMetadata(t *testing.T) {
	for _, test := range []struct {
		name      string
		was       map[string]string
		edit      edit.Edit
		want      map[string]string
		unchanged bool
	}{
		{"set one more", map[string]string{"a": "1"}, edit.Edit{Set: map[string]string{"b": "2"}}, map[string]string{"a": "1", "b": "2"}, false},
		{"set another value", map[string]string{"a": "1", "b": "2"}, edit.Edit{Set: map[string]string{"a": "3"}}, map[string]string{"a": "3", "b": "2"}, false},
		{"set what is so", map[string]string{"a": "1"}, edit.Edit{Set: map[string]string{"a": "1"}}, map[string]string{"a": "1"}, true},
		{"set where is none", nil, edit.Edit{Set: map[string]string{"a": "1"}}, map[string]string{"a": "1"}, false},
		{"set what is odd", nil, edit.Edit{Set: map[string]string{"\x00\"\\\n": "\u2028<&>😀\x1f"}}, map[string]string{"\x00\"\\\n": "\u2028<&>😀\x1f"}, false},
		{"unset", map[string]string{"a": "1", "b": "2"}, edit.Edit{Unset: []string{"a"}}, map[string]string{"b": "2"}, false},
		{"unset the last", map[string]string{"a": "1"}, edit.Edit{Unset: []string{"a"}}, map[string]string{}, false},
		{"fix", map[string]string{"a": "1"}, edit.Edit{Fix: true}, map[string]string{"a": "1", "format": "pt"}, false},
		{"fix what is so", map[string]string{"format": "tf"}, edit.Edit{Fix: true}, map[string]string{"format": "tf"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachPlace(t, func(t *testing.T, do func(*edit.Edit, string) (string, *edit.Receipt, error)) {
				src := write(t, safetensors.Encoder{Metadata: test.was}, tensor("t", safetensors.U8, numbered(0, 9)))
				was := parse(t, src)
				target, receipt, err := do(&test.edit, src)
				if err != nil {
					t.Fatal(err)
				}
				now := parse(t, target)
				if !maps.Equal(now.metadata, test.want) || now.metadata == nil {
					t.Errorf("the metadata is %q, want %q", now.metadata, test.want)
				}
				checkReceipt(t, receipt, was, now)
				if f := receipt.Files[0]; target == src && (f.Action == edit.Unchanged) != test.unchanged {
					t.Errorf("the file is %s", f.Action)
				}
			})
		})
	}
}

// Where nothing is to be set, none is made up.
func TestNoMetadataStaysNone(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	if _, err := (&edit.Edit{Rename: []edit.Rename{rename(t, "^h=>x")}}).InPlace(t.Context(), src); err != nil {
		t.Fatal(err)
	}
	if p := parse(t, src); p.metadata != nil || strings.Contains(p.text, "__metadata__") {
		t.Errorf("the header is %q", p.text)
	}
}

// TestRefused has edits that make no sense. Each leaves all as it was.
func TestRefused(t *testing.T) {
	pattern := func(s string) []edit.Pattern { return []edit.Pattern{exact(s)} }
	for _, test := range []struct {
		name  string
		edit  edit.Edit
		words string
	}{
		{"keep nothing", edit.Edit{Keep: pattern("x")}, `"x"`},
		{"keep one and nothing", edit.Edit{Keep: append(pattern("x"), exact("head"))}, `"x"`},
		{"drop nothing", edit.Edit{Drop: pattern("x")}, `"x"`},
		{"cast-keep nothing", edit.Edit{Cast: []edit.Cast{{To: "F16"}}, CastKeep: pattern("x")}, `"x"`},
		{"rename nothing", edit.Edit{Rename: []edit.Rename{rename(t, "^x=>y")}}, `"^x=>y"`},
		{"rename what is dropped", edit.Edit{Drop: pattern("head"), Rename: []edit.Rename{rename(t, "head=>y")}}, `"head=>y"`},
		{"cast nothing", edit.Edit{Cast: []edit.Cast{{From: "F16", To: "F32"}}}, "F16 to F32"},
		{"cast to nothing", edit.Edit{Cast: []edit.Cast{{To: "float32"}}}, `"float32"`},
		{"cast twice", edit.Edit{Cast: []edit.Cast{{To: "F16"}, {To: "BF16"}}}, "cast F16 and cast BF16"},
		{"cast to what does not fill bytes", edit.Edit{Cast: []edit.Cast{{From: "I64", To: "F4"}}}, `tensor "ids": its 3 elements do not fill whole bytes`},
		{"nothing left", edit.Edit{Drop: []edit.Pattern{prefix("")}}, "none of 6 tensors would be left"},
		{"collision", edit.Edit{Rename: []edit.Rename{rename(t, `^h\.\d\.norm=>norm`)}}, `tensors "h.0.norm" and "h.1.norm" would both be called "norm"`},
		{"collision with what stays", edit.Edit{Rename: []edit.Rename{rename(t, "mask=>ids")}}, `tensors "ids" and "mask" would both be called "ids"`},
		{"the format's own name", edit.Edit{Rename: []edit.Rename{rename(t, "mask=>__metadata__")}}, "__metadata__"},
		{"a group that is none", edit.Edit{Rename: []edit.Rename{{From: regexp.MustCompile("(h)ead"), To: "$1_x"}}}, `the group "1_x"`},
		{"unset nothing", edit.Edit{Unset: []string{"x"}}, `"x"`},
		{"set and unset", edit.Edit{Set: map[string]string{"a": "b"}, Unset: []string{"a"}}, `"a"`},
		{"align to 3", edit.Edit{Align: 3}, "power of two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachPlace(t, func(t *testing.T, do func(*edit.Edit, string) (string, *edit.Receipt, error)) {
				src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, model()...)
				before, err := os.ReadFile(src)
				if err != nil {
					t.Fatal(err)
				}
				target, receipt, err := do(&test.edit, src)
				if !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), test.words) || receipt != nil {
					t.Errorf("error %v; want a refusal with %s", err, test.words)
				}
				if after, err := os.ReadFile(src); err != nil || !bytes.Equal(before, after) {
					t.Errorf("the source has changed: %v", err)
				}
				if _, err := os.Lstat(target); target != src && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the target is there: %v", err)
				}
			})
		})
	}
}

func TestParseRename(t *testing.T) {
	for _, s := range []string{"", "a", "=>b", "(=>b", "a=>$1", "a=>${x}", "(a)=>$1b", "(?P<n>a)=>${m}"} {
		if r, err := edit.ParseRename(s); err == nil {
			t.Errorf("%q is read as %v", s, &r)
		}
	}
	for _, s := range []string{"a=>", "a=>b=>c", "a=>$$1", "(a)=>${1}b", "(a)=>$1.b", "(?P<n>a)=>$n-", "a=>$0", "a=>$"} {
		if r, err := edit.ParseRename(s); err != nil || r.String() != s {
			t.Errorf("%q is read as %v, %v", s, &r, err)
		}
	}
}

// checkReceipt compares a receipt with what was and is in the one file.
func checkReceipt(t *testing.T, r *edit.Receipt, was, now parsed) {
	t.Helper()
	if len(r.Files) != 1 || len(r.Tensors) != len(was.entries) {
		t.Fatalf("the receipt has %d files and %d tensors", len(r.Files), len(r.Tensors))
	}
	f := r.Files[0]
	if f.HeaderSize != int64(now.n) || f.Tensors != len(now.entries) || !maps.Equal(f.Before, was.metadata) || !maps.Equal(f.After, now.metadata) {
		t.Errorf("the receipt has the file as %+v", f)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Size() != f.Size {
		t.Errorf("the receipt has %s, of %d bytes: %v", f.Path, f.Size, err)
	}
	for _, row := range r.Tensors {
		checkRow(t, f.Action, row, now)
	}
}
