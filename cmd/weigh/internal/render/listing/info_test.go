// What info says beyond the table.

package listing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

func TestLabelsLeaveOutTheCommonFolder(t *testing.T) {
	for _, tt := range []struct{ paths, want []string }{
		{[]string{"a/b/x.safetensors"}, []string{"x.safetensors"}},
		{[]string{"a/b/x", "a/b/y"}, []string{"x", "y"}},
		{[]string{"a/b/x", "a/c/x"}, []string{"b/x", "c/x"}},
		{[]string{"a/b/x", "a/x", "x"}, []string{"a/b/x", "a/x", "x"}},
		{[]string{"/a/x", "/b/x"}, []string{"a/x", "b/x"}},
		{[]string{"ab/x", "a/x"}, []string{"ab/x", "a/x"}},
		{[]string{"a/x", "-"}, []string{"a/x", "standard input"}},
		{[]string{"a/\x1b"}, []string{`\u001b`}},
	} {
		var info Info
		for _, p := range tt.paths {
			info.Files = append(info.Files, File{Path: p})
		}
		label := info.labels()
		var got []string
		for i := range tt.paths {
			got = append(got, label(i))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.paths, diff)
		}
	}
}

// textOf returns the text of an info of files with the given metadata.
func textOf(t *testing.T, s typeset.Style, metadata ...map[string]string) string {
	t.Helper()
	var inv Inventory
	for i, m := range metadata {
		inv.Files = append(inv.Files, File{Path: string(rune('a' + i)), Header: &safetensors.Header{Metadata: m}})
	}
	var b bytes.Buffer
	if err := NewInfo(inv, Selection{}).Text(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMetadataIsSaidOnce(t *testing.T) {
	pt := map[string]string{"format": "pt"}
	for _, tt := range []struct {
		name     string
		metadata []map[string]string
		want     string
	}{
		{"none", []map[string]string{nil, {}}, ""},
		{"the same in all", []map[string]string{pt, {"format": "pt"}}, "METADATA\n  format: pt\n"},
		{"in some", []map[string]string{pt, nil, pt}, "METADATA of a and 1 more\n  format: pt\n"},
		{"different", []map[string]string{pt, {"b": "2\n", "a": "1"}}, "METADATA of a\n  format: pt\n\nMETADATA of b\n  a: 1\n  b: 2\\n\n"},
	} {
		text := textOf(t, typeset.Style{}, tt.metadata...)
		if !strings.Contains(text, tt.want) || tt.want == "" && strings.Contains(text, "METADATA") {
			t.Errorf("%s:\n%swant\n%s", tt.name, text, tt.want)
		}
	}
}

// A value of a megabyte fills no terminal, but is complete elsewhere.
func TestLongMetadata(t *testing.T) {
	long := map[string]string{"ss_log": strings.Repeat("x", 1<<20)}
	if text := textOf(t, typeset.Style{}, long); !strings.Contains(text, long["ss_log"]) {
		t.Error("it is not complete where there is no terminal")
	}
	text := textOf(t, typeset.Style{Width: 80}, long)
	line := text[strings.Index(text, "  ss_log: "):]
	line = line[:strings.IndexByte(line, '\n')]
	if width := typeset.Width(line); width > 80 || !strings.HasSuffix(line, "… (1,048,576 bytes)") {
		t.Errorf("%d columns: %s", width, line)
	}
}

// A terminal shows some files of many; a pipe gets all.
func TestManyFiles(t *testing.T) {
	many := make([]map[string]string, 20)
	if text := textOf(t, typeset.Style{Width: 80}, many...); !strings.Contains(text, "… and 8 more files\n") {
		t.Errorf("on a terminal:\n%s", text)
	}
	if text := textOf(t, typeset.Style{}, many...); strings.Contains(text, "more files") {
		t.Errorf("elsewhere:\n%s", text)
	}
}
