// Tests of the generator.

package gen

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestCheckedIn(t *testing.T) {
	if *update {
		if err := write(".."); err != nil {
			t.Fatal(err)
		}
	}
	want, files := render(), os.DirFS("..")
	for path, content := range want {
		got, err := fs.ReadFile(files, path)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s is out of date (%v): run go generate ./vectors", path, err)
		}
	}
	names, err := fs.Glob(files, "*/*.vector")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if want[name] == nil {
			t.Errorf("%s is stale: run go generate ./vectors", name)
		}
	}
}

// TestMarks checks what the marks of a header stand for, by hand.
func TestMarks(t *testing.T) {
	for _, test := range []struct {
		v    vector
		file string
		at   span
	}{
		// 4 bytes of text and 4 spaces; the fault is the third byte.
		{vector{header: `{}«,»1`}, "\x08\x00\x00\x00\x00\x00\x00\x00{},1    ", span{10, 11}},
		// The spaces are inside, and the fault is the end.
		{vector{header: `{·}«»`}, "\x08\x00\x00\x00\x00\x00\x00\x00{      }", span{16, 16}},
		// No spaces, two bytes of data, and the second of them at fault.
		{vector{header: `{}··`, size: 2, data: &span{1, 2}}, "\x02\x00\x00\x00\x00\x00\x00\x00{}\x00\x01", span{11, 12}},
		// A length that is not that of the text.
		{vector{header: `{}··`, n: 258, span: &span{0, 8}}, "\x02\x01\x00\x00\x00\x00\x00\x00{}", span{0, 8}},
		{vector{file: "GGUF", span: &span{0, 4}}, "GGUF", span{0, 4}},
	} {
		if file, at := test.v.compose(); string(file) != test.file || at != test.at {
			t.Errorf("%+v makes %q, at fault %v; want %q and %v", test.v, file, at, test.file, test.at)
		}
	}
}

// TestNames checks that the files can be made on every system: Windows knows no
// difference of case, and has names of its own.
func TestNames(t *testing.T) {
	for path := range render() {
		if strings.Trim(path, "abcdefghijklmnopqrstuvwxyz0123456789-/.") != "" || strings.Count(path, ".") != 1 {
			t.Errorf("%s is not made of lower-case letters, digits and hyphens", path)
		}
	}
}
