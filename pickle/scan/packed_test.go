// Compressed data: each codec, nested, complete and damaged.

package scan

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// gzipped compresses a text as a gzip file.
func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zlibbed compresses a text as a zlib stream.
func zlibbed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lz4 returns a handmade frame with an uncompressed block.
func lz4Frame(text string) []byte {
	return slices.Concat([]byte("\x04\x22\x4d\x18\x60\x40\x00"), []byte{byte(len(text)), 0, 0, 0x80}, []byte(text), make([]byte, 4))
}

// zfile returns the format of joblib before 0.10: "ZF", the size in 19 characters, and zlib.
func zfile(t testing.TB, text string) []byte {
	return slices.Concat([]byte(fmt.Sprintf("ZF%-19s", fmt.Sprintf("%#x", len(text)))), zlibbed(t, text))
}

func TestPacked(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pack   func(text string) []byte
		format string
	}{
		{"model.pkl.gz", func(s string) []byte { return gzipped(t, s) }, "gzip"},
		{"model.joblib", func(s string) []byte { return zlibbed(t, s) }, "zlib"},
		{"model.pkl.z", func(s string) []byte { return zfile(t, s) }, "joblib-zfile"},
		{"model.pkl.lz4", lz4Frame, "lz4"},
	} {
		bad := scanned(t, new(Scanner), tt.pack(evil), tt.name)
		if bad.Verdict != pickle.Dangerous || bad.Format != tt.format || !imported(bad, "os.system") {
			t.Errorf("%s, evil, is %s, %v: %v", tt.name, bad.Format, bad.Verdict, bad.Findings)
		}
		good := scanned(t, new(Scanner), tt.pack(benign), tt.name)
		if good.Verdict != pickle.Safe || !good.Complete || notes(good) != "compressed-wrapper" || good.Members[0].Format != "pickle" {
			t.Errorf("%s, benign, is %s, %v: %v", tt.name, good.Format, good.Verdict, good.Findings)
		}
		cut := tt.pack(evil + strings.Repeat("x", 200))
		if r := scanned(t, new(Scanner), cut[:len(cut)-5], tt.name); r.Verdict < pickle.Suspicious || r.Complete {
			t.Errorf("%s, cut off, is %v, complete is %v", tt.name, r.Verdict, r.Complete)
		}
		behind := append(tt.pack(benign), "junk"+evil...)
		if r := scanned(t, new(Scanner), behind, tt.name); r.Verdict < pickle.Suspicious {
			t.Errorf("%s, with more behind it, is %v: %v", tt.name, r.Verdict, r.Findings)
		}
	}
}

// Python's gzip reads concatenated files as one; some loaders read only the first.
func TestGzipFiles(t *testing.T) {
	r := scanned(t, new(Scanner), append(gzipped(t, benign), gzipped(t, evil)...), "x.pkl.gz")
	if r.Verdict != pickle.Dangerous || !strings.Contains(rules(r), "trailing-data") {
		t.Errorf("%v (%s)", r.Verdict, rules(r))
	}
	if r := scanned(t, new(Scanner), append(gzipped(t, benign), evil...), "x.pkl.gz"); r.Verdict != pickle.Dangerous {
		t.Errorf("a pickle behind it: %v (%s)", r.Verdict, rules(r))
	}
}

// Data that is compressed twice, compressed data in archives, and data that only begins like
// compressed data.
func TestPackedWithin(t *testing.T) {
	if r := scanned(t, new(Scanner), gzipped(t, string(zlibbed(t, evil))), "x"); r.Verdict != pickle.Dangerous || len(r.Members) != 2 {
		t.Errorf("twice: %v, %v", r.Verdict, r.Members)
	}
	r := scanned(t, new(Scanner), zipped(t, file{"a/x.gz", string(gzipped(t, string(zipped(t, file{"data.pkl", evil}))))}), "x.zip")
	if want := "a/x.gz!gzip!data.pkl"; r.Verdict != pickle.Dangerous || r.Members[len(r.Members)-1].Path != want {
		t.Errorf("in an archive: %v, %v", r.Verdict, r.Members)
	}
	for _, text := range []string{"\x78\x9c and no zlib", "\x5d\x00\x00\x80\x00 and no lzma"} {
		if r := scanned(t, new(Scanner), []byte(text), "x.bin"); r.Format != "data" || r.Verdict != pickle.Unanalysed {
			t.Errorf("%q is %s, %v: %v", text, r.Format, r.Verdict, r.Findings)
		}
	}
}

// Data that exceeds the limit is incomplete and takes little memory. Findings at its beginning
// are reported.
func TestBombs(t *testing.T) {
	zeros := evil + strings.Repeat("\x00", 10<<20)
	s := &Scanner{MaxUnpacked: 1 << 20}
	for name, b := range map[string][]byte{"gzip": gzipped(t, zeros), "zip": deflated(t, file{"m/data.pkl", zeros}, file{"m/x", zeros})} {
		r := scanned(t, s, b, "x")
		if r.Verdict != pickle.Dangerous || r.Complete {
			t.Errorf("%s: %v, complete is %v", name, r.Verdict, r.Complete)
		}
	}
}

// Every codec of Python that joblib and pandas support, compressed by Python.
func TestPackedByPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python")
	}
	dir := t.TempDir()
	script := `import sys,gzip,bz2,lzma,zlib,tarfile,io
d=sys.argv[1]
for name,text in (("evil",sys.argv[2]),("benign",sys.argv[3])):
    text=bytes.fromhex(text)
    def w(ext,b): open(d+"/"+name+"."+ext,"wb").write(b)
    w("gz",gzip.compress(text)); w("bz2",bz2.compress(text)); w("zlib",zlib.compress(text))
    w("xz",lzma.compress(text)); w("lzma",lzma.compress(text,format=lzma.FORMAT_ALONE))
    for mode in ("gz","bz2","xz",""):
        b=io.BytesIO()
        with tarfile.open(fileobj=b,mode="w:"+mode) as t:
            i=tarfile.TarInfo("m/data.pkl"); i.size=len(text); t.addfile(i,io.BytesIO(text))
        w("tar"+mode,b.getvalue())
`
	if out, err := exec.Command(python, "-c", script, dir, fmt.Sprintf("%x", evil), fmt.Sprintf("%x", benign)).CombinedOutput(); err != nil {
		t.Skipf("Python cannot: %s", out)
	}
	files, _ := filepath.Glob(dir + "/*")
	if len(files) != 18 {
		t.Fatalf("%d files", len(files))
	}
	for _, name := range files {
		want := pickle.Safe
		if strings.HasPrefix(filepath.Base(name), "evil") {
			want = pickle.Dangerous
		}
		b := readFile(t, name)
		r := scanned(t, new(Scanner), b, name)
		if r.Verdict != want || !r.Complete {
			t.Errorf("%s is %s, %v: %v", filepath.Base(name), r.Format, r.Verdict, r.Findings)
		}
		if r.Format == "tar" {
			continue
		}
		format := r.Format
		r = scanned(t, new(Scanner), b[:len(b)-5], name)
		if want := "the " + format + " data is truncated"; r.Complete || r.Reason != want {
			t.Errorf("%s without its end: complete is %v, %q; want %q", filepath.Base(name), r.Complete, r.Reason, want)
		}
	}
}
