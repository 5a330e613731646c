// Archives by archive/zip, and what is done to them byte by byte.

package zipwalk

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A file is a member of an archive that a test makes.
type file struct{ name, content string }

// stored returns an archive of members that are stored. Local headers have sizes, as
// Python writes them.
func stored(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		n := uint64(len(f.content))
		h := &zip.FileHeader{Name: f.name, CompressedSize64: n, UncompressedSize64: n,
			CRC32: crc32.ChecksumIEEE([]byte(f.content))}
		in, err := w.CreateRaw(h)
		if err == nil {
			_, err = in.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// two is the archive that most tests are about. Its bytes, by APPNOTE 4.3: a local
// header of 30 bytes, the name "a/x" of 3 and "one" of 3, so the second header is at
// 36; of that 30, 3 and 5, so the directory is at 74, of two entries of 46 and 3: the
// end record is at 172, and has 22 bytes: 194.
func two(t testing.TB) []byte {
	b := stored(t, file{"a/x", "one"}, file{"a/y", "three"})
	if len(b) != 194 || string(b[36:40]) != sigLocal || string(b[74:78]) != sigCentral || string(b[172:176]) != sigEnd {
		t.Fatalf("the archive has another form than is expected: %q", b)
	}
	return b
}

// Where the parts of two are.
const (
	secondLocal   = 36
	firstCentral  = 74
	secondCentral = 123
	endRecord     = 172
)

// walked walks an archive in memory.
func walked(t testing.TB, b []byte, opts *Options) *Archive {
	t.Helper()
	a, err := Walk(bytes.NewReader(b), int64(len(b)), opts)
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

// contents returns the names of members and what their views give, as in
// "a/x=one a/y=three".
func contents(t testing.TB, a *Archive) string {
	t.Helper()
	var parts []string
	for i := range a.Members {
		m := &a.Members[i]
		text := m.Name
		for _, v := range m.Views {
			in, err := a.Open(v)
			if err != nil {
				text += "=?"
				continue
			}
			b, err := io.ReadAll(in)
			text += "=" + string(b)
			if err != nil {
				text += "!"
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestSoundArchive(t *testing.T) {
	a := walked(t, two(t), &Options{Head: 2})
	if got := contents(t, a); got != "a/x=one a/y=three" {
		t.Errorf("contents are %s", got)
	}
	if len(a.Faults)+len(a.Gaps)+len(a.Comments) > 0 || a.Partial != "" {
		t.Errorf("a sound archive has faults %v, gaps %v, comments %v, %q", a.Faults, a.Gaps, a.Comments, a.Partial)
	}
	if m := a.Members[1]; !m.Torch || !m.Python || !m.Listed || m.Header != secondLocal || m.Faulty {
		t.Errorf("the second member is %+v", m)
	}
	if v := a.Members[1].Views[0]; v.Span != (extent.Span{Begin: 69, End: 74}) || string(v.Head) != "th" ||
		v.CRC != crc32.ChecksumIEEE([]byte("three")) {
		t.Errorf("its view is %+v", v)
	}
	if a.Root() != "a" {
		t.Errorf("the root is %q", a.Root())
	}
}

// put returns a copy of b with bytes replaced.
func put(b []byte, at int, with ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[at:], with)
	return b
}

// join returns the parts one after another.
func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// patch returns a copy of b with text replaced, which must be there once.
func patch(t testing.TB, b []byte, at int, old, with string) []byte {
	t.Helper()
	if string(b[at:][:len(old)]) != old || len(old) != len(with) {
		t.Fatalf("at %d is %q, and not %q", at, b[at:][:len(old)], old)
	}
	return put(b, at, []byte(with)...)
}

// Each archive is two with one thing done to it. Offsets are those of two, and of
// the fields of APPNOTE 4.3.7 (local), 4.3.12 (central) and 4.3.16 (end).
func TestFaults(t *testing.T) {
	b := two(t)
	end := b[endRecord:]
	long := put(put(b, firstCentral+22, 1), 20, 1) // by 65,536 bytes
	for _, tt := range []struct {
		name     string
		bytes    []byte
		kinds    string
		contents string
	}{
		{"a name that differs", patch(t, b, 30, "a/x", "a/z"), "header-mismatch", "a/x=one a/y=three"},
		{"a flag in the directory", put(b, firstCentral+8, 1), "bad-flags header-mismatch", "a/x=one a/y=three"},
		{"a flag in both", put(put(b, firstCentral+8, 0x20), 6, 0x20), "bad-flags", "a/x=one a/y=three"},
		{"flags that mean nothing", put(put(b, firstCentral+8, 6, 8), 6, 6, 8), "", "a/x=one a/y=three"},
		{"a method that differs", put(b, firstCentral+10, 8), "header-mismatch", "a/x=!=one a/y=three"},
		{"a longer content to the directory", put(put(b, firstCentral+20, 9), firstCentral+24, 9), "header-mismatch overlap",
			"a/x=onePK\x03\x04\x00\x00 a/y=three"},
		{"a longer content to the header", put(put(b, 18, 9), 22, 9), "header-mismatch overlap",
			"a/x=onePK\x03\x04\x00\x00 a/y=three"},
		{"a stored content of two sizes", put(put(b, firstCentral+24, 2), 22, 2), "header-mismatch", "a/x=one a/y=three"},
		{"a content past the end", long, "bad-offset header-mismatch overlap", "a/x=" + string(long[33:]) + " a/y=three"},
		{"a checksum that differs", put(b, 14, 1), "header-mismatch", "a/x=one a/y=three"},
		{"no checksum before the content", put(b, 14, 0, 0, 0, 0), "", "a/x=one a/y=three"},
		{"a version that there is not", put(b, firstCentral+6, 99), "header-mismatch", "a/x=one a/y=three"},
		{"two entries for one content", put(b, secondCentral+42, 0), "duplicate-entry header-mismatch orphan-entry overlap",
			"a/x=one a/y=onePK a/y=three"},
		{"an offset where nothing is", put(b, secondCentral+42, 1), "bad-offset duplicate-entry orphan-entry",
			"a/x=one a/y a/y=three"},
		{"an offset past the end", put(b, secondCentral+45, 0x70), "bad-offset duplicate-entry orphan-entry",
			"a/x=one a/y a/y=three"},
		{"an entry less in the count", put(b, endRecord+8, 1, 0, 1), "bad-eocd", "a/x=one a/y=three"},
		{"an entry more in the count", put(b, endRecord+8, 3, 0, 3), "bad-eocd", "a/x=one a/y=three"},
		{"two disks", put(b, endRecord+8, 1), "bad-eocd", "a/x=one a/y=three"},
		{"a directory elsewhere", put(b, endRecord+16, 20), "bad-offset duplicate-entry orphan-entry prefix-data",
			"a/x a/y a/x=one a/y=three"},
		{"a comment past the end", put(b, endRecord+20, 9), "bad-eocd", "a/x=one a/y=three"},
		{"the same name twice", patch(t, patch(t, b, secondLocal+30, "a/y", "a/x"), secondCentral+46, "a/y", "a/x"),
			"duplicate-entry", "a/x=one a/x=three"},
		{"bytes before, offsets as they were", join([]byte("#!sh\n"), b), "prefix-data", "a/x=one a/y=three"},
		{"bytes after", join(b, []byte("more")), "trailing-data", "a/x=one a/y=three"},
		{"a directory without an entry", join(b[:firstCentral], end[:8], []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
			"orphan-entry", "a/x=one a/y=three"},
		{"no end", b[:firstCentral], "orphan-entry truncated", "a/x=one a/y=three"},
		{"cut off in a content", b[:72], "orphan-entry truncated", "a/x=one a/y=thr"},
		{"an archive after it", join(b, b), "bad-eocd duplicate-entry multiple-eocd prefix-data",
			"a/x=one a/y=three a/x=one a/y=three"},
		{"an end record in the comment", join(put(b, endRecord+20, 22), []byte(sigEnd), make([]byte, 18)), "multiple-eocd",
			"a/x=one a/y=three"},
		{"bytes between contents", join(b[:36], []byte("hide"), put(put(b, secondCentral+42, 40), endRecord+16, 78)[36:]),
			"unlisted-data", "a/x=one a/y=three"},
		{"a symbolic link", put(b, firstCentral+40, 0xff, 0xa1), "symlink", "a/x=one a/y=three"},
	} {
		a := walked(t, tt.bytes, nil)
		if got := kinds(a); got != tt.kinds {
			t.Errorf("%s: faults are %q, want %q: %v", tt.name, got, tt.kinds, a.Faults)
		}
		if got := contents(t, a); got != tt.contents {
			t.Errorf("%s: contents are %q, want %q", tt.name, got, tt.contents)
		}
	}
}

func TestFind(t *testing.T) {
	b := two(t)
	for _, tt := range []struct {
		name  string
		bytes []byte
		want  int64
	}{
		{"an archive", b, 0},
		{"behind a prefix", append([]byte("prefix"), b...), endRecord + 6},
		{"before other bytes", append(append([]byte("prefix"), b...), "suffix"...), endRecord + 6},
		{"an end record alone", append(make([]byte, 10), b[endRecord:]...), -1},
		{"nothing", nil, -1},
		{"text", []byte("no archive"), -1},
	} {
		if got, err := Find(bytes.NewReader(tt.bytes), int64(len(tt.bytes))); got != tt.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", tt.name, got, err, tt.want)
		}
	}
}

// PyTorch's reader does not look behind a prefix, Python's does. Of two archives one
// after the other, with offsets as they were, each reads another.
func TestReadersDiffer(t *testing.T) {
	prefixed := walked(t, append([]byte("prefix"), two(t)...), nil)
	if m := prefixed.Members[0]; m.Torch || !m.Python {
		t.Errorf("behind a prefix torch is %v, and Python %v", m.Torch, m.Python)
	}
	both := walked(t, append(two(t), two(t)...), nil)
	if m := both.Members[0]; m.Header != 0 || !m.Torch || m.Python {
		t.Errorf("the first archive, at %d: torch is %v, and Python %v", m.Header, m.Torch, m.Python)
	}
	if m := both.Members[2]; m.Header != 194 || m.Torch || !m.Python {
		t.Errorf("the second archive, at %d: torch is %v, and Python %v", m.Header, m.Torch, m.Python)
	}
}

// Lookups are those of readers that confuse names.
func TestLookup(t *testing.T) {
	a := walked(t, stored(t, file{"r/data.pkl", "1"}, file{"r/DATA.PKL", "2"}, file{"r/data.pkl\x00x", "3"},
		file{`r\data.pkl`, "4"}, file{"r/other", "5"}), nil)
	if got := a.Lookup("R/data.pkl"); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("%v, want the first four", got)
	}
}

// What stands in an extra field and is none that is known is shown: readers skip it. The
// padding of PyTorch is known, unless it is not what PyTorch pads with.
func TestExtras(t *testing.T) {
	for _, tt := range []struct {
		extra string
		odd   bool
	}{
		{"", false}, {"UT\x01\x00x", false}, {"FB\x03\x00ZZZ", false}, {"FB\x03\x00evi", true}, {"!!\x04\x00hide", true},
		{"not even a field", true}, {"\x00\x00\x00", false},
	} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		if _, err := w.CreateRaw(&zip.FileHeader{Name: "n", Extra: []byte(tt.extra)}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		a := walked(t, b.Bytes(), nil)
		if len(a.Faults) > 0 || (len(a.Extras) == 2) != tt.odd {
			t.Errorf("%q: %v, %v", tt.extra, a.Extras, a.Faults)
		}
		for _, span := range a.Extras {
			if got := string(b.Bytes()[span.Begin:span.End]); got != tt.extra {
				t.Errorf("%q is said to stand where %q does", tt.extra, got)
			}
		}
	}
}

// A torch record: sizes and checksum are zero in the local header, and follow the
// content after a signature, in sizes of four bytes or, with zip64, of eight.
func TestDescriptors(t *testing.T) {
	for _, form := range []string{"PKcss", "css", "PKcSS", "cSS"} {
		var b []byte
		content := "abc"
		crc := crc32.ChecksumIEEE([]byte(content))
		b = append(b, sigLocal...)
		b = append(b, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'n')
		b = append(b, content...)
		for _, field := range form {
			switch field {
			case 'P':
				b = append(b, sigDescriptor...)
			case 'c':
				b = binary.LittleEndian.AppendUint32(b, crc)
			case 's':
				b = binary.LittleEndian.AppendUint32(b, 3)
			case 'S':
				b = binary.LittleEndian.AppendUint64(b, 3)
			}
		}
		at := len(b)
		b = append(b, sigCentral...)
		b = append(b, 0, 0, 0, 0, 8, 8, 0, 0, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, crc)
		b = append(b, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0)
		b = append(b, make([]byte, 16)...)
		b = append(b, 'n')
		b = append(b, sigEnd...)
		b = append(b, 0, 0, 0, 0, 1, 0, 1, 0, byte(len(b)-4-at), 0, 0, 0, byte(at), 0, 0, 0, 0, 0)
		a := walked(t, b, nil)
		if got := contents(t, a); got != "n=abc" || len(a.Faults)+len(a.Gaps) > 0 {
			t.Errorf("%s: %s, %v, gaps %v", form, got, a.Faults, a.Gaps)
		}
		b[at-1]++ // the upper byte of a size
		if a := walked(t, b, nil); len(a.Faults) == 0 {
			t.Errorf("%s: a size that differs is no fault", form)
		}
	}
}

// Zip64: the fields of the header are all ones, and the numbers in the extra field.
func TestZip64(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "n", CompressedSize64: 5 << 30, UncompressedSize64: 5 << 30}
	if _, err := w.CreateRaw(h); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := walked(t, b.Bytes(), nil)
	if v := a.Members[0].Views[0]; v.Size != 5<<30 || v.Span.End > int64(b.Len()) {
		t.Errorf("the view is %+v", v)
	}
	if got := kinds(a); !strings.Contains(got, string(BadOffset)) || strings.Contains(got, string(BadEnd)) {
		t.Errorf("faults are %s", got)
	}
}

// What an archive claims takes no memory: this one claims everything it can.
func TestClaimsTakeNoMemory(t *testing.T) {
	b := put(two(t), endRecord+8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	claims := put(b, firstCentral+20, 0xfe, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			walked(b, claims, nil)
		}
	})
	if got.AllocedBytesPerOp() > 1<<20 {
		t.Errorf("%d bytes were allocated", got.AllocedBytesPerOp())
	}
}

// The limits: how many members, and how many bytes are searched.
func TestLimits(t *testing.T) {
	var files []file
	for i := range 20 {
		files = append(files, file{fmt.Sprint(i), ""})
	}
	if a := walked(t, stored(t, files...), &Options{Members: 10}); len(a.Members) != 10 || a.Partial == "" {
		t.Errorf("%d members, %q", len(a.Members), a.Partial)
	}
	if a := walked(t, append(make([]byte, 1000), two(t)...), &Options{Search: 100}); a.Partial == "" {
		t.Error("900 bytes were not searched, and nobody says so")
	}
	if a := walked(t, append(make([]byte, 1000), two(t)...), nil); a.Partial != "" {
		t.Errorf("all was searched, but: %s", a.Partial)
	}
}
