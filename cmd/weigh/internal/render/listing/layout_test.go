// Byte maps of files, sound and broken.

package listing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
)

// mapped returns the regions of a file that has the given header and size.
func mapped(t *testing.T, text string, size int64) []string {
	t.Helper()
	head := fmt.Appendf(nil, "%c\x00\x00\x00\x00\x00\x00\x00%s", len(text), text)
	report, err := safetensors.Validate(strings.NewReader(string(head)+strings.Repeat("\x00", int(max(size-int64(len(head)), 0)))), size)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range NewLayout(File{Size: size, Header: report.Header}, []byte(text), uint64(len(text)), nil).Regions {
		got = append(got, fmt.Sprintf("%s %v", r.what(), r.Span))
	}
	return got
}

// Each header but the last has N = 108: an object of 106 bytes and two spaces.
func TestLayout(t *testing.T) {
	const a, b = `"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}`, `"b":{"dtype":"U8","shape":[8],"data_offsets":[%d,%d]}`
	text := func(begin int) string { return fmt.Sprintf("{"+a+","+b+"}  ", begin, begin+8) }
	for _, tt := range []struct {
		name string
		text string
		size int64
		want []string
	}{
		{"sound", text(8), 132, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "b [124, 132)"}},
		{"a gap", text(9), 133, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "gap [124, 125)", "b [125, 133)"}},
		{"an overlap", text(4), 128, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "overlap of b [120, 124)", "b [120, 128)"}},
		{"bytes after the last", text(8), 140, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "b [124, 132)", "trailing [132, 140)"}},
		{"bytes missing", text(8), 126, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "b [124, 132)", "missing (the file is truncated) [126, 132)"}},
		{"no data", text(8), 116, []string{"length (N = 108) [0, 8)", "header (2 tensors) [8, 114)", "padding [114, 116)", "a [116, 124)", "b [124, 132)", "missing (the file is truncated) [116, 132)"}},
		{"no tensors", "{}", 10, []string{"length (N = 2) [0, 8)", "header (0 tensors) [8, 10)"}},
	} {
		if diff := cmp.Diff(tt.want, mapped(t, tt.text, tt.size)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLayoutWithoutAHeader(t *testing.T) {
	for _, tt := range []struct {
		size int64
		want []string
	}{
		{0, nil},
		{5, []string{"length (N = 0) [0, 5)"}},
		{8, []string{"length (N = 0) [0, 8)"}},
		{20, []string{"length (N = 0) [0, 8)", "unknown [8, 20)"}},
	} {
		var got []string
		for _, r := range NewLayout(File{Size: tt.size}, nil, 0, nil).Regions {
			got = append(got, fmt.Sprintf("%s %v", r.what(), r.Span))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d bytes (-want +got):\n%s", tt.size, diff)
		}
	}
}

// What is dumped is what is there: a tensor that the file cuts off has fewer
// bytes.
func TestLayoutDump(t *testing.T) {
	l := &Layout{File: File{Size: 20}, Regions: []Region{
		{Span: safetensors.Span{Begin: 0, End: 20}}, {Span: safetensors.Span{Begin: 18, End: 40}}, {Span: safetensors.Span{Begin: 30, End: 40}}, {},
	}}
	if err := l.Dump(strings.NewReader("abcdefghijklmnopqrst")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range l.Regions {
		got = append(got, string(r.Hex))
	}
	if diff := cmp.Diff([]string{"abcdefghijklmnop", "st", "", ""}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDumpLine(t *testing.T) {
	b := []byte("\x00A\x1b\xff~ 0123456789")
	for _, tt := range []struct {
		width int
		want  string
	}{
		{0, "    00 41 1b ff 7e 20 30 31 32 33 34 35 36 37 38 39  |.A..~ 0123456789|"},
		{40, "    00 41 1b ff 7e 20 30 31  |.A..~ 01|"},
		{5, "    00 41 1b ff  |.A..|"},
	} {
		if got := dump(b, tt.width); got != tt.want {
			t.Errorf("in %d columns: %q, want %q", tt.width, got, tt.want)
		}
	}
}
