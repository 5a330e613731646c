// Messages: one line each, whatever is in the file.

package safetensors_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors"
)

func TestViolationError(t *testing.T) {
	v := &safetensors.Violation{Rule: safetensors.RuleOverlap, Tensor: "b", Span: safetensors.Span{Begin: 62, End: 124},
		Detail: `tensor "b" begins at 8, inside tensor "a" [0, 16)`}
	if got, want := v.Error(), `safetensors: tensor "b" begins at 8, inside tensor "a" [0, 16) (bytes 62-124, rule overlap)`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for _, empty := range []safetensors.Span{{}, {Begin: 8, End: 8}, {Begin: 8, End: 4}} {
		nowhere := &safetensors.Violation{Rule: safetensors.RuleOverlap, Span: empty, Detail: "nowhere"}
		if got, want := nowhere.Error(), "safetensors: nowhere (rule overlap)"; got != want {
			t.Errorf("%s, want\n%s", got, want)
		}
	}
	var err error = v
	if !errors.Is(err, safetensors.RuleOverlap) || errors.Is(err, safetensors.RuleHole) {
		t.Errorf("%v is not %v, or is another", v, safetensors.RuleOverlap)
	}
	var rule safetensors.Rule
	if !errors.As(err, &rule) || rule != safetensors.RuleOverlap {
		t.Errorf("%v has the rule %q", v, string(rule))
	}
}

// TestNamesInMessages has files whose names are meant for those who print them.
func TestNamesInMessages(t *testing.T) {
	for _, test := range []struct {
		name string // as it stands in JSON
		want string // in the message
	}{
		{`a`, `"a"`},
		{`a\nb`, `"a\nb"`},
		{`a\u001b[31mb`, `"a\x1b[31mb"`},
		{`a\u0000b`, `"a\x00b"`},
		{`a\"b`, `"a\"b"`},
		{"a\u0085b", `"a\u0085b"`},
		{"a\u202eb", `"a\u202eb"`}, // turns the rest of a line around
		{"größe", `"größe"`},
		{strings.Repeat("x", 200), `"` + strings.Repeat("x", 200) + `"`},
		{strings.Repeat("x", 201), `"` + strings.Repeat("x", 100) + `"..."` + strings.Repeat("x", 100) + `" (201 bytes)`},
		// A hundred bytes end inside of a character of two: the half is left out.
		{"x" + strings.Repeat("é", 150), `"x` + strings.Repeat("é", 49) + `"..."` + strings.Repeat("é", 50) + `" (301 bytes)`},
		{strings.Repeat("é", 150) + "x", `"` + strings.Repeat("é", 50) + `"..."` + strings.Repeat("é", 49) + `x" (301 bytes)`},
	} {
		// The size is wrong, so the message names the tensor.
		text := `{"` + test.name + `":{"dtype":"U8","shape":[4],"data_offsets":[0,3]}}`
		r := report(t, append(start(text, 0), 1, 2, 3))
		v := r.First(safetensors.Invalid)
		if v == nil || v.Rule != safetensors.RuleTensorSize {
			t.Errorf("%s: %v", test.name, r.Violations)
			continue
		}
		if line := v.Error(); !strings.Contains(line, "tensor "+test.want+" has") || !isLine(line) {
			t.Errorf("%q does not say %s", line, test.want)
		}
		var name string
		if err := json.Unmarshal([]byte(`"`+test.name+`"`), &name); err != nil || v.Tensor != name {
			t.Errorf("Tensor is %q, want %q, not shortened (%v)", v.Tensor, name, err)
		}
	}
}

// isLine says whether a terminal shows s as one line, from left to right.
func isLine(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// TestTextOfFilesInMessages puts the same dangers in every other place from
// which a message quotes: dtypes, members, keys, numbers, the first line of a text.
func TestTextOfFilesInMessages(t *testing.T) {
	const danger = `\u001b[31m\n\u202e\u0085`
	long := strings.Repeat("0123456789", 1000)
	for _, text := range []string{
		`{"a":{"dtype":"` + danger + `","shape":[4],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"` + long + `","shape":[4],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"` + danger + `":0}}`,
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"` + long + `":0}}`,
		`{"a":{"dtype":"U8","shape":["` + danger + `"],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"U8","shape":["` + long + `"],"data_offsets":[0,4]}}`,
		"{\"a\":{\"dtype\":\"U8\",\"shape\":[[\n\t\r\n4]],\"data_offsets\":[0,4]}}",
		"{\"a\":{\"dtype\":\"U8\",\"shape\":[\"\u202e\u0085\x7f\"],\"data_offsets\":[0,4]}}",
		`{"a":{"dtype":"U8","shape":[` + strings.Repeat("2,", 1000) + `2],"data_offsets":[0,4]}}`,
		`{"__metadata__":{"` + danger + `":0},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`,
		`{"__metadata__":{"` + danger + `":"","` + danger + `":""},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}` + "\u202e",
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}` + "\x1b",
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"` + "\x1b",
		`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}` + "\n\r\t",
		"\n" + `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`,
	} {
		r := report(t, append(start(text, 0), 1, 2, 3, 4))
		if r.Err() == nil {
			t.Errorf("%.80q is accepted", text)
		}
		for _, v := range r.Violations {
			if line := v.Error(); !isLine(line) || len(line) > 600 {
				t.Errorf("%.80q gives %q, of %d bytes", text, line, len(line))
			}
		}
	}
	for _, file := range []string{"Entry\x1bnot found", "\u202eEntry not found", "<html>\u202e\u0085\r\n", "Entry not found" + long} {
		for _, v := range report(t, []byte(file)).Violations {
			if line := v.Error(); !isLine(line) || len(line) > 600 {
				t.Errorf("%.80q gives %q, of %d bytes", file, line, len(line))
			}
		}
	}
}
