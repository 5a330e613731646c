package latin1

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestLatin1 reads an encoded array from every offset around the steps of its index, which are in no step of the text.
func TestLatin1(t *testing.T) {
	data := make([]byte, 3*step+100)
	runes := make([]rune, len(data))
	for i := range data {
		data[i] = byte(i * i / 7)
		runes[i] = rune(data[i])
	}
	text := string(runes)
	r, err := New(io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))), fmt.Errorf)
	if err != nil || r.Size() != int64(len(data)) {
		t.Fatal(r.Size(), err)
	}
	for off := range data {
		if near := off % step; off != 0 && near > 3 && near < step-3 && off%997 != 0 {
			continue
		}
		for _, n := range []int{1, 5, step + 1} {
			got := make([]byte, n)
			m, err := r.ReadAt(got, int64(off))
			want := data[off:min(off+n, len(data))]
			if string(got[:m]) != string(want) || (err == io.EOF) != (off+n > len(data)) {
				t.Fatalf("%d bytes at %d: %d, %v", n, off, m, err)
			}
		}
	}
	for _, bad := range []string{"a\u0100", "a\xff", "\xc3", "é\xc2", "\xc4\x80", "\xe2\x82\xac"} {
		if _, err := New(io.NewSectionReader(strings.NewReader(bad), 0, int64(len(bad))), fmt.Errorf); err == nil {
			t.Errorf("%q", bad)
		}
	}
}

// TestLine decodes lines as Python 3 and Python 2 write them in protocol 0.
func TestLine(t *testing.T) {
	section := func(s string) *io.SectionReader {
		return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
	}
	for _, k := range []struct {
		line   string
		quoted bool
		want   string
	}{
		{"a\xff\\u005c\\u000a\\u0000z", false, "a\xff\\\n\x00z"},
		{`'a\\\'\n\t\r\x00\xff"'`, true, "a\\'\n\t\r\x00\xff\""},
	} {
		r, err := NewLine(section(k.line), k.quoted, fmt.Errorf)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		if string(got) != k.want || err != nil {
			t.Errorf("%q: %q, %v", k.line, got, err)
		}
	}
	for _, bad := range []string{`\u0100`, `\u00`, `\`, `\n`, `\U000000ff`} {
		if _, err := NewLine(section(bad), false, fmt.Errorf); err == nil {
			t.Errorf("%q", bad)
		}
	}
}
