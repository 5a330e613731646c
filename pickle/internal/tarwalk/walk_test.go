// Archives by archive/tar, and what is done to them byte by byte.

package tarwalk

import (
	"archive/tar"
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// packed returns an archive of files in the given format.
func packed(t testing.TB, format tar.Format, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		h.Format, h.Mode = format, 0o644
		content := strings.Repeat("x", int(h.Size))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// walked walks an archive in memory.
func walked(t testing.TB, b []byte) *Archive {
	t.Helper()
	a, err := Walk(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// kinds returns the kinds of faults, each once, sorted.
func kinds(a *Archive) string {
	var list []string
	for _, f := range a.Faults {
		list = append(list, string(f.Kind))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// Names and sizes are those that archive/tar wrote, in each of its formats.
func TestAgainstArchiveTar(t *testing.T) {
	long := strings.Repeat("folder/", 40) + "name"
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		headers := []tar.Header{
			{Name: "a", Size: 1}, {Name: "b/", Typeflag: tar.TypeDir}, {Name: "b/c", Size: 512}, {Name: "empty"},
			{Name: "d", Size: 513},
		}
		if format != tar.FormatUSTAR {
			headers = append(headers, tar.Header{Name: long, Size: 3})
		} else {
			headers = append(headers, tar.Header{Name: strings.Repeat("p/", 60) + "name", Size: 3})
		}
		b := packed(t, format, headers...)
		a := walked(t, b)
		if len(a.Faults)+len(a.Gaps) > 0 || a.Partial != "" || len(a.Members) != len(headers) || !Has(b) {
			t.Fatalf("%v: %d members, faults %v, gaps %v, %q", format, len(a.Members), a.Faults, a.Gaps, a.Partial)
		}
		for i, h := range headers {
			m := a.Members[i]
			content := b[m.Data.Begin:m.Data.End]
			if m.Name != h.Name || m.Data.Len() != h.Size || len(bytes.Trim(content, "x")) > 0 || m.File() != (h.Typeflag == 0) {
				t.Errorf("%v: %+v is %+v", format, m, h)
			}
		}
	}
}

// Each archive is one of two files of a byte, with one thing done to it. A header has
// its name at 0, its size at 124, its checksum at 148 and its type at 156.
func TestFaults(t *testing.T) {
	b := packed(t, tar.FormatUSTAR, tar.Header{Name: "one", Size: 1}, tar.Header{Name: "two", Size: 1})
	if len(b) != 4*blockSize+2*blockSize {
		t.Fatalf("the archive has %d bytes", len(b))
	}
	second := 2 * blockSize
	// with replaces bytes and mends the checksum of the header they are in.
	with := func(at int, bytes ...byte) []byte {
		b := slices.Clone(b)
		copy(b[at:], bytes)
		header := b[at&^(2*blockSize-1):][:blockSize]
		copy(header[148:], "        ")
		sum := 0
		for _, c := range header {
			sum += int(c)
		}
		copy(header[148:], checksum(sum))
		return b
	}
	put := func(at int, with ...byte) []byte {
		b := slices.Clone(b)
		copy(b[at:], with)
		return b
	}
	for _, tt := range []struct {
		name  string
		bytes []byte
		kinds string
		names string
		gaps  []extent.Span
	}{
		{"nothing", b, "", "one two", nil},
		{"a header that is none", put(second, 'x'), "bad-header trailing-data", "one",
			[]extent.Span{{Begin: 1024, End: 3072}}},
		{"no end mark", b[:4*blockSize], "truncated", "one two", nil},
		{"cut off in a content", b[:second+blockSize], "truncated", "one two", nil},
		{"bytes after the end", append(slices.Clone(b), "more"...), "trailing-data", "one two",
			[]extent.Span{{Begin: 2048, End: 3076}}},
		{"bytes in the padding", put(blockSize+5, 'x'), "", "one two", []extent.Span{{Begin: 513, End: 1024}}},
		{"a size past the end", with(124, []byte("77777777777")...), "truncated", "one", nil},
		{"a size that is no number", with(124, 'x'), "bad-header", "one", []extent.Span{}},
		{"one name twice", with(second, []byte("ONE")...), "duplicate-entry", "one ONE", nil},
		{"an absolute name", with(0, '/'), "unsafe-name", "/ne two", nil},
		{"a link", with(second+156, '2'), "symlink", "one two", []extent.Span{}},
		{"a device", with(second+156, '3'), "odd-member", "one two", []extent.Span{}},
		{"a sparse file", with(second+156, 'S'), "odd-member", "one two", nil},
	} {
		a := walked(t, tt.bytes)
		var names []string
		for _, m := range a.Members {
			names = append(names, m.Name)
		}
		// Where sizes are wrong, what follows is too: it is no matter how.
		got := kinds(a)
		if tt.gaps != nil && len(tt.gaps) == 0 {
			if !strings.Contains(got, tt.kinds) {
				t.Errorf("%s: faults are %q, want %q among them", tt.name, got, tt.kinds)
			}
			continue
		}
		if got != tt.kinds || strings.Join(names, " ") != tt.names || !slices.Equal(a.Gaps, tt.gaps) {
			t.Errorf("%s: faults are %q, names %q, gaps %v, want %q, %q, %v", tt.name, got, names, a.Gaps, tt.kinds, tt.names,
				tt.gaps)
		}
	}
}

// checksum returns a checksum as headers have it.
func checksum(n int) string {
	digits := ""
	for range 6 {
		digits = string(rune('0'+n&7)) + digits
		n >>= 3
	}
	return digits + "\x00 "
}

func TestHas(t *testing.T) {
	for _, b := range [][]byte{nil, make([]byte, 512), []byte("short"), bytes.Repeat([]byte("x"), 512)} {
		if Has(b) {
			t.Errorf("%.10q is no archive", b)
		}
	}
}

func TestNumber(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for text, want := range map[string]int64{
		"0000644\x00": 0o644, " 644  \x00\x00": 0o644, "\x00\x00\x00": 0, "7": 7, "-1": -1, "+7": 7, "0o17": 0o17,
		"0O_1_7": 0o17, "\t7\x1f": 7, "7\x00x": 7, "\x007": 0, "  ": 0, "\x80\x00\x00\x00\x00\x00\x00\x01\x00": 256,
		"\xff\xff\xff": -1, "\xff\xff\xfe": -2, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": most,
		"\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": least,
	} {
		if got, ok := number([]byte(text)); got != want || !ok {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"8", "7_", "_7", "1__7", "0o", "0x1", "7 7", "\x81\x00", "é", "+", "--1"} {
		if got, ok := number([]byte(text)); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(packed(f, tar.FormatUSTAR, tar.Header{Name: "one", Size: 1}, tar.Header{Name: "two", Size: 600}))
	f.Add(packed(f, tar.FormatPAX, tar.Header{Name: strings.Repeat("long/", 60) + "x", Size: 1}))
	f.Add(packed(f, tar.FormatGNU, tar.Header{Name: strings.Repeat("long/", 60) + "x", Size: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		size := int64(len(b))
		a := walked(t, b)
		end := int64(0)
		for _, m := range a.Members {
			if m.Data.Begin < end || m.Data.Begin > m.Data.End || m.Data.End > size {
				t.Errorf("%q has the span %v of %d bytes, after %d", m.Name, m.Data, size, end)
			}
			end = m.Data.End
		}
		for _, gap := range a.Gaps {
			if gap.Begin < 0 || gap.Begin >= gap.End || gap.End > size {
				t.Errorf("a gap is %v of %d bytes", gap, size)
			}
		}
	})
}
