// Indexes: what is made out of good and bad ones, and their one form as text.

package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

func TestParseIndex(t *testing.T) {
	for _, test := range []struct {
		text    string
		tensors string // "tensor shard" of each entry, separated by commas
		size    int64
		faults  string // "rule BEGIN-END" of each violation, separated by commas
	}{
		{`{"weight_map":{}}`, "", -1, ""},
		{` {"weight_map" : {"b":"1.safetensors", "a":"2.safetensors"} } `, "b 1.safetensors,a 2.safetensors", -1, ""},
		{`{"metadata":{"total_size":12,"format":"pt"},"weight_map":{"a":"s.safetensors"},"more":[{}]}`, "a s.safetensors", 12, ""},
		{`{"metadata":null,"weight_map":{"a":"sub/folder/s.safetensors"}}`, "a sub/folder/s.safetensors", -1, ""},
		{`{"metadata":{"total_size":4096.0},"weight_map":{}}`, "", 4096, ""},
		{`{"metadata":{"total_size":null},"weight_map":{}}`, "", -1, ""},
		{`{"weight_map":{"\u0061\ud83d\ude00":"\u0073\/t.safetensors"}}`, "a😀 s/t.safetensors", -1, ""},
		{`{"weight_map":{"a":"s.safetensors"},"metadata":{"total_size":9223372036854775807}}`, "a s.safetensors", 1<<63 - 1, ""},

		// The total is not what it should be.
		{`{"metadata":{"total_size":"12"},"weight_map":{}}`, "", -1, "total-size 13-30"},
		{`{"metadata":{"total_size":-1},"weight_map":{}}`, "", -1, "total-size 13-28"},
		{`{"metadata":{"total_size":1.5},"weight_map":{}}`, "", -1, "total-size 13-29"},
		{`{"metadata":{"total_size":1e3},"weight_map":{}}`, "", -1, "total-size 13-29"},
		{`{"metadata":{"total_size":9223372036854775808},"weight_map":{}}`, "", -1, "total-size 13-45"},

		// The text is not what it should be.
		{``, "", -1, "index-json 0-0"},
		{`[]`, "", -1, "index-json 0-1"},
		{`{}`, "", -1, "index-json 0-2"},
		{`{"weight_map":{"a":"s.safetensors"}`, "a s.safetensors", -1, "index-json 35-35"},
		{`{"weight_map":{"a":"s.safetensors"}}x`, "a s.safetensors", -1, "index-json 36-37"},
		{`{"weight_map":{"a":"s.safetensors",}}`, "a s.safetensors", -1, "index-json 35-36"},
		{`{"weight_map":["a"]}`, "", -1, "index-json 1-19"},
		{`{"weight_map":null}`, "", -1, "index-json 1-18"},
		{`{"metadata":[],"weight_map":{"a":"s.safetensors"}}`, "a s.safetensors", -1, "index-json 1-14"},
		{`{"weight_map":{"a":"s.safetensors","b":1,"c":"s.safetensors"}}`, "a s.safetensors,c s.safetensors", -1, "index-json 35-40"},
		{`{"weight_map":{"a":"s.safetensors","a":"t.safetensors"}}`, "a t.safetensors", -1, "index-json 35-54"},
		{`{"weight_map":{"a":"s.safetensors","\u0061":"s.safetensors"}}`, "a s.safetensors", -1, "index-json 35-59"},
		{`{"weight_map":{"a":"s.safetensors"},"weight_map":{"b":"s.safetensors"}}`, "a s.safetensors,b s.safetensors", -1, "index-json 36-49"},
		{"{\"weight_map\":{\"a\xff\":\"s.safetensors\"}}", "a\xff s.safetensors", -1, "index-json 17-18"},
		{"version https://git-lfs.github.com/spec/v1\n", "", -1, "index-json 0-43"},
		{"<html></html>", "", -1, "index-json 0-13"},

		// Names that lead elsewhere, of which each is told once.
		{`{"weight_map":{"a":"../s","b":"s.safetensors","c":"../s"}}`, "a ../s,b s.safetensors,c ../s", -1, "index-path 15-25"},
		{`{"weight_map":{"a":"/s","b":"s\\t","c":"http://h/s"}}`, `a /s,b s\t,c http://h/s`, -1, "index-path 15-23,index-path 24-34,index-path 35-51"},
		{`{"weight_map":{"a":"","b":".","c":"x//y"}}`, "a ,b .,c x//y", -1, "index-path 15-21,index-path 22-29,index-path 30-40"},
		{`{"weight_map":{"a":"s/..","b":"C:s","c":"s\u0000"}}`, "a s/..,b C:s,c s\x00", -1, "index-path 15-25,index-path 26-35,index-path 36-49"},

		// Names of what is no shard, or does not show what it is.
		{`{"weight_map":{"a":".env"}}`, "a .env", -1, "index-path 15-25"},
		{`{"weight_map":{"a":"x/.y/s.safetensors","b":".safetensors"}}`, "a x/.y/s.safetensors,b .safetensors", -1, "index-path 15-39,index-path 40-58"},
		{`{"weight_map":{"a":"id_rsa","b":"s.SAFETENSORS"}}`, "a id_rsa,b s.SAFETENSORS", -1, "index-path 15-27,index-path 28-47"},
		{`{"weight_map":{"a":"s\u202etxt.safetensors","b":"s\u2028.safetensors"}}`, "a s\u202etxt.safetensors,b s\u2028.safetensors", -1, "index-path 15-43,index-path 44-69"},
		{`{"weight_map":{"a":"x..y/s.safetensors","b":"\u00e9.safetensors"}}`, "a x..y/s.safetensors,b é.safetensors", -1, ""},
	} {
		x, report := checkpoint.ParseIndex([]byte(test.text))
		var entries, faults []string
		for _, e := range x.Tensors {
			entries = append(entries, e.Tensor+" "+e.Shard)
			if got := x.Lookup(e.Tensor); got == nil || *got != e {
				t.Errorf("%s: looking up %q gives %v", test.text, e.Tensor, got)
			}
		}
		for _, v := range report.Violations {
			faults = append(faults, fmt.Sprintf("%s %d-%d", string(v.Rule), v.Span.Begin, v.Span.End))
		}
		if got := strings.Join(entries, ","); got != test.tensors {
			t.Errorf("%s: entries %q, want %q", test.text, got, test.tensors)
		}
		if got := strings.Join(faults, ","); got != test.faults {
			t.Errorf("%s: violations %q, want %q: %v", test.text, got, test.faults, report.Violations)
		}
		if x.TotalSize != test.size {
			t.Errorf("%s: total size %d, want %d", test.text, x.TotalSize, test.size)
		}
	}
}

func TestIndexSpans(t *testing.T) {
	const text = `{"weight_map": {"a" : "s", "b":"t"}}`
	x, _ := checkpoint.ParseIndex([]byte(text))
	for i, want := range []string{`"a" : "s"`, `"b":"t"`} {
		if at := x.Tensors[i].Span; text[at.Begin:at.End] != want {
			t.Errorf("the span of entry %d is %s, want %s", i, text[at.Begin:at.End], want)
		}
	}
}

func TestViolationsOfAnIndexAreBounded(t *testing.T) {
	text := []byte(`{"weight_map":{"a":0`)
	for i := range 2500 {
		text = fmt.Appendf(text, `,"%d":0`, i)
	}
	_, report := checkpoint.ParseIndex(append(text, "}}"...))
	if n := len(report.Violations); n != 1000 || report.Omitted[checkpoint.RuleIndexJSON] != 1501 {
		t.Errorf("%d violations and %v omitted, want 1000 and 1501", n, report.Omitted)
	}
}

func TestAppendText(t *testing.T) {
	// The library transformers wrote this.
	sample, err := os.ReadFile("../testdata/sample/model.safetensors.index.json")
	if err != nil {
		t.Fatal(err)
	}
	x, _ := checkpoint.ParseIndex(sample)
	if got, err := x.AppendText([]byte("before ")); err != nil || string(got) != "before "+string(sample) {
		t.Errorf("the sample's index becomes\n%s, %v", got, err)
	}

	// And Python's json.dumps(..., indent=2, sort_keys=True) this.
	const python = `{
  "metadata": {
    "a": {},
    "format": [
      1,
      "x"
    ],
    "total_size": 16
  },
  "weight_map": {
    "\b\t\n\f\r\"\\/\u000b\u007f": "s.safetensors",
    "\u00e9": "s.safetensors",
    "\ud83d\ude00": "s.safetensors"
  }
}
`
	x = &checkpoint.Index{
		TotalSize: 16, TotalParameters: -1, Metadata: map[string]string{"format": `[1,"x"]`, "a": "{ }"},
		Tensors: []checkpoint.IndexEntry{
			{Tensor: "\U0001f600", Shard: "s.safetensors"},
			{Tensor: "\b\t\n\f\r\"\\/\v\x7f", Shard: "s.safetensors"},
			{Tensor: "é", Shard: "s.safetensors"},
		},
	}
	if got, err := x.AppendText(nil); err != nil || string(got) != python {
		t.Errorf("got\n%s, %v, want\n%s", got, err, python)
	}
	if x.Tensors[0].Tensor != "\U0001f600" || x.Lookup("é") != &x.Tensors[2] || x.Lookup("e") != nil {
		t.Error("the index itself has changed, or cannot be looked into")
	}
	x = &checkpoint.Index{TotalSize: -1, TotalParameters: -1}
	if got, err := x.AppendText(nil); err != nil || string(got) != "{\n  \"weight_map\": {}\n}\n" {
		t.Errorf("an empty index is %q, %v", got, err)
	}
}

func TestAppendTextRefuses(t *testing.T) {
	entry := func(tensor, shard string) []checkpoint.IndexEntry {
		return []checkpoint.IndexEntry{{Tensor: "x", Shard: "s.safetensors"}, {Tensor: tensor, Shard: shard}}
	}
	for _, test := range []struct {
		index checkpoint.Index
		says  string
	}{
		{checkpoint.Index{Tensors: entry("x", "t.safetensors")}, "twice"},
		{checkpoint.Index{Tensors: entry("y", "../t.safetensors")}, `".."`},
		{checkpoint.Index{Tensors: entry("y", ".t.safetensors")}, `begins with "."`},
		{checkpoint.Index{Tensors: entry("y", "t")}, "does not end"},
		{checkpoint.Index{Tensors: entry("y\xff", "t.safetensors")}, "UTF-8"},
		{checkpoint.Index{Metadata: map[string]string{"a": "{"}}, "not JSON"},
		{checkpoint.Index{Metadata: map[string]string{"total_size": "1"}}, "has a field in Index"},
	} {
		if got, err := test.index.AppendText([]byte("x")); err == nil || !strings.Contains(err.Error(), test.says) || string(got) != "x" {
			t.Errorf("%v: %q, %v, want an error that says %q", test.index, got, err, test.says)
		}
	}
}

func TestIndexLimits(t *testing.T) {
	f := two(t)
	for _, test := range []struct {
		opts checkpoint.Options
		ok   bool
	}{
		{checkpoint.Options{MaxShards: 2, MaxIndexSize: int64(len(f[indexName]))}, true},
		{checkpoint.Options{MaxShards: 1}, false},
		{checkpoint.Options{MaxIndexSize: int64(len(f[indexName])) - 1}, false},
	} {
		_, err := checkpoint.New(t.Context(), f.store(), "", &test.opts)
		if test.ok && err != nil || !test.ok && !errors.Is(err, safetensors.RuleLimit) {
			t.Errorf("%+v: %v", test.opts, err)
		}
	}
}

// TestShardsAreCountedWhileParsing: what comes after one too many is not read.
func TestShardsAreCountedWhileParsing(t *testing.T) {
	f := folder{indexName: []byte(`{"weight_map":{"a":"1.safetensors","b":"1.safetensors","c":"2.safetensors","d":no JSON`)}
	_, err := checkpoint.New(t.Context(), f.store(), indexName, &checkpoint.Options{MaxShards: 1})
	var v *safetensors.Violation
	if !errors.As(err, &v) || v.Rule != safetensors.RuleLimit || v.Tensor != "c" || v.Span != (safetensors.Span{Begin: 55, End: 74}) {
		t.Errorf("%v", err)
	}
}

// TestLargeIndexIsReadWhole: it is longer than what is read at once.
func TestLargeIndexIsReadWhole(t *testing.T) {
	f := folder{"model.safetensors": file(t, f32("a", 1))}
	f.index(t, indexName, map[string][]string{"model.safetensors": {"a"}})
	for _, size := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 4 << 20, 9 << 20} {
		index := bytes.Repeat([]byte{' '}, size)
		copy(index[size-len(f[indexName]):], f[indexName])
		large := folder{"model.safetensors": f["model.safetensors"], indexName: index}
		if got, err := tensors(t, large.open(t, indexName, nil)); len(got) != 1 || err != nil {
			t.Errorf("%d bytes: %q, %v", size, got, err)
		}
	}
}

// FuzzParseIndex compares with encoding/json, as far as that is strict: it takes
// names twice, broken UTF-8 and half surrogates, and it takes null for a string.
func FuzzParseIndex(f *testing.F) {
	for _, text := range []string{
		`{"weight_map":{"a":"s"}}`, `{"metadata":{"total_size":1.0,"x":[]},"weight_map":{"\u0061":"../s"}}`,
		`[]`, `{"weight_map":null}`, `{"weight_map":{"a":1}}`, `{"metadata":7,"weight_map":{}}`, "\xef\xbb\xbf{}", `{"weight_map":{"a":"\ud800"}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		x, report := checkpoint.ParseIndex(text)
		if !bytes.Equal(before, text) {
			t.Fatal("the text was written to")
		}
		for _, v := range report.Violations {
			if v.Span.Begin < 0 || v.Span.Begin > v.Span.End || v.Span.End > int64(len(text)) {
				t.Errorf("%v is outside of the text", v)
			}
		}
		for _, e := range x.Tensors {
			if x.Lookup(e.Tensor) == nil || e.Span.End > int64(len(text)) {
				t.Errorf("entry %v", e)
			}
		}
		if v := report.First(safetensors.Invalid); v != nil {
			var object map[string]json.RawMessage
			if strings.HasPrefix(v.Detail, "index: at byte") && json.Unmarshal(text, &object) == nil && object != nil &&
				!bytes.Contains(text, []byte(`\u`)) && !deep(text) {
				t.Errorf("%q is an object: %v", text, v)
			}
			return
		}
		var want struct {
			Metadata  json.RawMessage            `json:"metadata"`
			WeightMap map[string]json.RawMessage `json:"weight_map"`
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q was accepted, and is no index: %v", text, err)
		}
		got := make(map[string]string)
		for _, e := range x.Tensors {
			got[e.Tensor] = e.Shard
		}
		if len(got) != len(x.Tensors) {
			t.Errorf("%q: a tensor twice", text)
		}
		roundTrip(t, x, got)
	})
}

// deep says whether a text may be nested deeper than is read.
func deep(text []byte) bool {
	return bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 100
}

// roundTrip writes an index without fault, and reads it again.
func roundTrip(t *testing.T, x *checkpoint.Index, shards map[string]string) {
	text, err := x.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, report := checkpoint.ParseIndex(text)
	if err := report.Err(); err != nil || again.TotalSize != x.TotalSize || again.TotalParameters != x.TotalParameters {
		t.Fatalf("written as %q: %v", text, err)
	}
	got := make(map[string]string)
	for _, e := range again.Tensors {
		got[e.Tensor] = e.Shard
	}
	if !maps.Equal(got, shards) || !slices.IsSortedFunc(again.Tensors, func(a, b checkpoint.IndexEntry) int { return strings.Compare(a.Tensor, b.Tensor) }) {
		t.Errorf("written as %q", text)
	}
	if twice, err := again.AppendText(nil); err != nil || !bytes.Equal(twice, text) {
		t.Errorf("written as %q, and then as %q: %v", text, twice, err)
	}
}

// An index in the order of names is looked up without a table. It has to say the same
// as one in any other order, and to find the same names twice.
func TestIndexInAnyOrder(t *testing.T) {
	for _, order := range [][]string{
		{"a", "b", "c", "d"}, {"d", "c", "b", "a"}, {"a", "c", "b", "d"},
		{"a", "b", "b", "c", "d"}, {"a", "b", "c", "d", "a"}, {"b", "a", "c", "a", "d"},
	} {
		text, twice := `{"weight_map":{`, 0
		seen := make(map[string]bool)
		for i, name := range order {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf("%q:%q", name, fmt.Sprintf("%s%d.safetensors", name, i))
			if seen[name] {
				twice++
			}
			seen[name] = true
		}
		x, report := checkpoint.ParseIndex([]byte(text + "}}"))
		if len(x.Tensors) != 4 || len(report.Violations) != twice {
			t.Errorf("%v: %d tensors, %v", order, len(x.Tensors), report.Violations)
		}
		for name := range seen {
			last := 0 // it wins
			for i := range order {
				if order[i] == name {
					last = i
				}
			}
			if e := x.Lookup(name); e == nil || e.Tensor != name || e.Shard != fmt.Sprintf("%s%d.safetensors", name, last) {
				t.Errorf("%v: %s is %+v, want that of number %d", order, name, e, last)
			}
		}
		for _, name := range []string{"", "0", "bb", "e"} {
			if e := x.Lookup(name); e != nil {
				t.Errorf("%v: %q is %+v", order, name, e)
			}
		}
	}
}
