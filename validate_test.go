// Reports: all that is wrong with a file, in order, and not without end.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// report returns what Validate finds.
func report(t testing.TB, file []byte) *safetensors.Report {
	t.Helper()
	r, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rules returns the rules of a report's violations, in order.
func rules(r *safetensors.Report) []safetensors.Rule {
	var all []safetensors.Rule
	for _, v := range r.Violations {
		all = append(all, v.Rule)
	}
	return all
}

// TestManyFaults has a file with a fault of every kind that leaves the others
// readable. All are found, in the order of the bytes.
func TestManyFaults(t *testing.T) {
	text := ` {"__metadata__":{"a":1,"b":"x","b":"y"},` +
		`"unknown":{"dtype":"I4","shape":[8],"data_offsets":[0,4]},` +
		`"shape":{"dtype":"U8","shape":[-1],"data_offsets":[4,8]},` +
		`"size":{"dtype":"U8","shape":[5],"data_offsets":[8,12]},` +
		`"bits":{"dtype":"F4","shape":[3],"data_offsets":[12,14]},` +
		`"twice":{"dtype":"U8","shape":[2],"data_offsets":[14,16]},` +
		`"twice":{"dtype":"U8","shape":[2],"data_offsets":[14,16]},` +
		`"over":{"dtype":"U8","shape":[3],"data_offsets":[15,18]},` +
		`"member":{"dtype":"U8","shape":[2],"data_offsets":[18,20],"x":0},` +
		`"a/../b":{"dtype":"U8","shape":[2],"data_offsets":[20,22]},` +
		`"odd":{"dtype":"F32","shape":[1],"data_offsets":[22,26]},` +
		`"late":{"dtype":"U8","shape":[2],"data_offsets":[30,32]}}` + "\n"
	file := append(start(text, 0), make([]byte, 34)...)
	r := report(t, file)
	checkReport(t, r, int64(len(file)))
	want := []safetensors.Rule{
		safetensors.RuleDataAlignment, safetensors.RuleHeaderStart, safetensors.RuleMetadataFormat, safetensors.RuleMetadata, safetensors.RuleDuplicateName,
		safetensors.RuleDtype, safetensors.RuleShape, safetensors.RuleTensorSize, safetensors.RuleWholeBytes, safetensors.RuleDuplicateName,
		safetensors.RuleOverlap, safetensors.RuleUnknownMember, safetensors.RuleNameControl, safetensors.RuleElementAlignment,
		safetensors.RuleHeaderPadding, safetensors.RuleHole, safetensors.RuleTrailing,
	}
	got := rules(r)
	for _, rule := range want {
		if i := slices.Index(got, rule); i >= 0 {
			got = slices.Delete(got, i, i+1)
		} else {
			t.Errorf("nothing breaks %v", rule)
		}
	}
	if len(got) != 0 {
		t.Errorf("also broken are %v", got)
	}
	if t.Failed() {
		for _, v := range r.Violations {
			t.Log(v)
		}
	}
	if len(r.Header.Tensors) != 10 {
		t.Errorf("%d tensors are listed, want 10: all but the one that is replaced", len(r.Header.Tensors))
	}
	if v := r.First(safetensors.Invalid); v == nil || v.Severity != safetensors.Invalid {
		t.Errorf("the first invalid one is %v", v)
	}
	if err := r.Err(); !errors.Is(err, safetensors.RuleHeaderStart) {
		t.Errorf("Err is %v, want the first that is not harmless", err)
	}
}

// TestErr checks that harmless violations are no error, and that none is none.
func TestErr(t *testing.T) {
	harmless := report(t, start(`{}`, 0))
	if len(harmless.Violations) == 0 || harmless.Err() != nil || harmless.First(safetensors.Nonconforming) != nil {
		t.Errorf("%v, %v", harmless.Violations, harmless.Err())
	}
	if v := harmless.First(safetensors.Note); v != harmless.Violations[0] {
		t.Errorf("the first is %v", v)
	}
	if err := new(safetensors.Report).Err(); err != nil {
		t.Errorf("%T %v of an empty report", err, err)
	}
}

// TestHeaderOfABrokenFile checks that what can be made out is listed, up to the
// fault and, where there is a way, past it.
func TestHeaderOfABrokenFile(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
	}{
		{"cut after a", `{` + entry("a", 0, 4) + `,"b":{"dtype"`, "a"},
		{"b is null", `{` + entry("a", 0, 4) + `,"b":null,` + entry("c", 4, 8) + `}`, "a c"},
		{"b has no shape", `{` + entry("a", 0, 4) + `,"b":{"dtype":"U8","data_offsets":[4,8]},` + entry("c", 8, 12) + `}`, "a b c"},
		{"b has no known dtype", `{` + entry("a", 0, 4) + `,"b":{"dtype":"U7","shape":[4],"data_offsets":[4,8]},` + entry("c", 8, 12) + `}`, "a b c"},
		{"b is reversed", `{` + entry("a", 0, 4) + `,` + entry("b", 8, 4) + `,` + entry("c", 4, 8) + `}`, "a b c"},
		{"metadata are a number", `{"__metadata__":1,` + entry("a", 0, 4) + `}`, "a"},
		{"words after the object", `{` + entry("a", 0, 4) + `} and so on`, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := report(t, append(start(test.text, 0), make([]byte, 12)...))
			if r.Err() == nil || r.Header == nil {
				t.Fatalf("%v, %v", r.Header, r.Violations)
			}
			var names []string
			for _, ti := range r.Header.Tensors {
				names = append(names, ti.Name)
				if r.Header.Lookup(ti.Name) == nil {
					t.Errorf("%s is listed and not found", ti.Name)
				}
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("%s are listed, want %s", got, test.want)
			}
		})
	}
}

// entry returns the entry of a tensor of bytes.
func entry(name string, begin, end int) string {
	return fmt.Sprintf(`"%s":{"dtype":"U8","shape":[%d],"data_offsets":[%d,%d]}`, name, max(end-begin, 0), begin, end)
}

// TestNoFaultByGuess checks that one fault does not make others: where a tensor's
// bytes are not known, what looks like a hole or a surplus may be its own.
func TestNoFaultByGuess(t *testing.T) {
	for _, broken := range []string{
		`null`, `{}`, `{"dtype":"U8","shape":[4]}`, `{"dtype":"U8","shape":[4],"data_offsets":[8,4]}`, `{"dtype":"U8","shape":[4],"data_offsets":"4-8"}`,
	} {
		for _, text := range []string{
			`{` + entry("a", 0, 4) + `,"b":` + broken + `,` + entry("c", 8, 12) + `}`, // a hole, if not for b
			`{` + entry("a", 0, 4) + `,"b":` + broken + `}`,                           // a surplus, if not for b
		} {
			size := 12
			r := report(t, append(start(text, 0), make([]byte, size)...))
			for _, v := range r.Violations {
				if v.Severity >= safetensors.Nonconforming && v.Tensor != "b" {
					t.Errorf("%s: %v", text, v)
				}
			}
		}
	}
	// A header that does not end may have any tensors in what is missing.
	r := report(t, append(start(`{`+entry("a", 4, 8)+`,"b`, 0), make([]byte, 12)...))
	if got := r.First(safetensors.Nonconforming); got == nil || got.Rule != safetensors.RuleJSON || slices.Contains(rules(r), safetensors.RuleHole) {
		t.Errorf("%v", r.Violations)
	}
}

// TestReportsEnd checks that of each rule 1,000 violations are kept, and that the
// rest is counted.
func TestReportsEnd(t *testing.T) {
	const n = 2500
	for name, one := range map[string]struct {
		entry func(i int) string
		rule  safetensors.Rule
	}{
		"dtype":          {func(i int) string { return `{"dtype":"U7","shape":[0],"data_offsets":[0,0]}` }, safetensors.RuleDtype},
		"shape":          {func(i int) string { return `{"dtype":"U8","shape":[0.5],"data_offsets":[0,0]}` }, safetensors.RuleShape},
		"tensor size":    {func(i int) string { return `{"dtype":"U8","shape":[1],"data_offsets":[0,0]}` }, safetensors.RuleTensorSize},
		"member":         {func(i int) string { return `0` }, safetensors.RuleMember},
		"unknown member": {func(i int) string { return `{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":0}` }, safetensors.RuleUnknownMember},
		"overlap":        {func(i int) string { return `{"dtype":"U8","shape":[1],"data_offsets":[0,1]}` }, safetensors.RuleOverlap},
	} {
		t.Run(name, func(t *testing.T) {
			var entries []string
			for i := range n {
				entries = append(entries, fmt.Sprintf(`"t%05d":%s`, i, one.entry(i)))
			}
			r := report(t, append(start(`{"__metadata__":{"format":"pt"},`+strings.Join(entries, ",")+`}`, 0), 0))
			kept := 0
			for _, v := range r.Violations {
				if v.Rule == one.rule {
					kept++
				}
			}
			all := n
			if one.rule == safetensors.RuleOverlap {
				all-- // the first one overlaps nothing
			}
			if kept != 1000 || r.Omitted[one.rule] != all-1000 {
				t.Errorf("%d violations are kept and %v omitted, want 1,000 and %d", kept, r.Omitted, all-1000)
			}
		})
	}
}

// TestMetadataReportsEnd checks the same of metadata and of duplicates, which
// are found in ways of their own, and of data.
func TestMetadataReportsEnd(t *testing.T) {
	const n = 2500
	r := report(t, start(`{"__metadata__":{"format":"pt"`+strings.Repeat(`,"a":0`, n)+`}}`, 0))
	if got := len(r.Violations); got > 1001 {
		t.Errorf("%d violations of metadata", got)
	} else if got+r.Omitted[safetensors.RuleMetadata] < n {
		t.Errorf("%d violations of metadata and %v omitted, of %d", got, r.Omitted, n)
	}
	r = report(t, start(`{"__metadata__":{"format":"pt"}`+strings.Repeat(`,"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, n)+`}`, 0))
	if got := len(r.Violations); got > 1001 || got+r.Omitted[safetensors.RuleDuplicateName] < n-1 {
		t.Errorf("%d duplicates and %v omitted, of %d", got, r.Omitted, n-1)
	}
	var bools strings.Builder
	for i := range n {
		fmt.Fprintf(&bools, `,"b%04d":{"dtype":"BOOL","shape":[1],"data_offsets":[%d,%d]}`, i, i, i+1)
	}
	file := append(start(`{"__metadata__":{"format":"pt"}`+bools.String()+`}`, 0), bytes.Repeat([]byte{2}, n)...)
	r = report(t, file)
	if err := r.CheckData(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	if got := len(r.Violations); got > 1001 || got+r.Omitted[safetensors.RuleBoolValue] < n {
		t.Errorf("%d violations of data and %v omitted, of %d", got, r.Omitted, n)
	}
}

// TestTruncatedSaysWhatIsHurt checks the numbers and the names in the message.
func TestTruncatedSaysWhatIsHurt(t *testing.T) {
	text := `{` + entry("a", 0, 4) + `,` + entry("b", 4, 8) + `,` + entry("c", 8, 12) + `,` + entry("d", 12, 16) + `,` + entry("e", 16, 16) + `}`
	head := start(text, 292) // so that the data begin at 300
	for _, test := range []struct {
		size  int
		words []string
	}{
		{15, []string{"1 byte short", "expected 316 bytes, found 315", `1 tensor is truncated: "d"`}},
		{8, []string{"8 bytes short", `2 tensors are truncated: "c", "d"`}},
		{3, []string{"13 bytes short", `4 tensors are truncated: "a", "b", "c" and 1 more`}},
	} {
		r := report(t, append(bytes.Clone(head), make([]byte, test.size)...))
		v := r.First(safetensors.Invalid)
		if v == nil || v.Rule != safetensors.RuleTruncated {
			t.Errorf("%d bytes of data: %v", test.size, r.Violations)
			continue
		}
		for _, words := range test.words {
			if !strings.Contains(v.Detail, words) {
				t.Errorf("%d bytes of data: %q does not say %q", test.size, v.Detail, words)
			}
		}
	}
	// An empty tensor past the end has no bytes to lose.
	file := append(start(`{`+entry("a", 0, 4)+`,`+entry("e", 8, 8)+`}`, 0), make([]byte, 4)...)
	if r := report(t, file); !slices.Contains(rules(r), safetensors.RuleTruncated) || !slices.Contains(rules(r), safetensors.RuleHole) {
		t.Errorf("%v", r.Violations)
	}
}

// TestDuplicateSaysWhereBothAre checks that the message has the bytes of the
// first, and the span those of the second.
func TestDuplicateSaysWhereBothAre(t *testing.T) {
	text := `{` + entry("a", 0, 4) + `,` + entry("a", 0, 4) + `}`
	r := report(t, append(start(text, 0), 1, 2, 3, 4))
	v := r.First(safetensors.Nonconforming)
	second := int64(8 + strings.LastIndex(text, `"a":`))
	if v == nil || v.Rule != safetensors.RuleDuplicateName || v.Span.Begin != second {
		t.Fatalf("%v, want a duplicate at %d", v, second)
	}
	if first := "first at bytes 9-60"; !strings.Contains(v.Detail, first) {
		t.Errorf("%q does not say %q", v.Detail, first)
	}
}
