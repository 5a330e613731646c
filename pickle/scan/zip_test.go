// Zip archives with a payload in every place that only some readers see.

package scan

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A file is a member of a test archive.
type file struct{ name, content string }

// zipped returns an archive of uncompressed members with sizes and checksums in their headers,
// as Python's zipfile writes it.
func zipped(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		n := uint64(len(f.content))
		in, err := w.CreateRaw(&zip.FileHeader{Name: f.name, CompressedSize64: n, UncompressedSize64: n, CRC32: crc32.ChecksumIEEE([]byte(f.content))})
		if err == nil {
			_, err = io.WriteString(in, f.content)
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

// inBlock returns an archive of one member in a stored deflate block: a 1, the length, its
// complement, and the content (RFC 1951, 3.2.4). The output of compressors differs between
// versions.
func inBlock(t testing.TB, name, content string) []byte {
	t.Helper()
	n := uint16(len(content))
	block := string([]byte{1, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)}) + content
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	in, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(block)), UncompressedSize64: uint64(n), CRC32: crc32.ChecksumIEEE([]byte(content))})
	if err == nil {
		_, err = io.WriteString(in, block)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// deflated returns an archive of compressed members.
func deflated(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		in, err := w.Create(f.name)
		if err == nil {
			_, err = io.WriteString(in, f.content)
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

// edited returns b with bytes replaced.
func edited(b []byte, at int, with ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[at:], with)
	return b
}

// checkpoint is a valid checkpoint with the float 1 in the storage "0".
func checkpoint(t testing.TB, more ...file) []byte {
	return zipped(t, append([]file{{"m/data.pkl", tensorPickle("FloatStorage", "0", 1)}, {"m/byteorder", "little"}, {"m/data/0", "\x00\x00\x80\x3f"}, {"m/version", "3\n"}}, more...)...)
}

// tensorPickle returns {"w": a one-dimensional tensor} as torch.save writes it. The tensor
// is the whole storage.
func tensorPickle(class, key string, elements byte) string {
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	n := "K" + string([]byte{elements})
	return "\x80\x02}" + text("w") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + class + "\n" + text(key) + text("cpu") + n + "tQ" +
		"K\x00" + n + "\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtRs."
}

func TestSoundCheckpoint(t *testing.T) {
	r := scanned(t, new(Scanner), checkpoint(t), "model.pt")
	if r.Verdict != pickle.Safe || !r.Complete || r.Format != "pytorch-zip" || len(r.Findings) > 0 {
		t.Errorf("%s, %v: %v", r.Format, r.Verdict, r.Findings)
	}
	var formats []string
	for _, m := range r.Members {
		formats = append(formats, m.Path+"="+m.Format)
	}
	if want := "m/data.pkl=pickle m/byteorder=text m/data/0=storage m/version=text"; strings.Join(formats, " ") != want {
		t.Errorf("%v", formats)
	}
}

// Each archive has a payload that some reader sees. None is safe, and each payload is found.
func TestPayloads(t *testing.T) {
	sound := checkpoint(t)
	// The end record has 22 bytes; its last two are the length of the comment.
	commented := func(comment string) []byte {
		b := bytes.Clone(sound)
		binary.LittleEndian.PutUint16(b[len(b)-2:], uint16(len(comment)))
		return append(b, comment...)
	}
	block := inBlock(t, "m/data.pkl", evil)
	listed := checkpoint(t, file{"m/evil.pkl", evil})
	local := bytes.Index(listed, []byte("m/evil.pkl"))       // in the header, 30 bytes before
	central := bytes.LastIndex(listed, []byte("PK\x01\x02")) // of the last entry
	unlisted := slices.Concat(listed[:central], listed[len(listed)-22:])
	unlisted = edited(unlisted, len(unlisted)-22+8, 4, 0, 4, 0, byte(central-(local-30+30+10+len(evil))))
	odd := zip.FileHeader{Name: "x", Extra: append([]byte{'!', '!', byte(len(evil)), 0}, evil...)}
	var extra bytes.Buffer
	w := zip.NewWriter(&extra)
	if _, err := w.CreateRaw(&odd); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		bytes []byte
		rules string // without those of the payload itself
	}{
		{"as data.pkl", zipped(t, file{"m/data.pkl", evil}), ""},
		{"as DATA.PKL", zipped(t, file{"m/DATA.PKL", evil}), ""},
		{"twice, the first", zipped(t, file{"m/data.pkl", evil}, file{"m/data.pkl", benign}), "duplicate-entry"},
		{"twice, the last", zipped(t, file{"m/data.pkl", benign}, file{"m/data.pkl", evil}), "duplicate-entry"},
		{"under a name that is one to some", zipped(t, file{"m/data.pkl", benign}, file{"m/Data.pkl", evil}), "duplicate-entry"},
		{"in another folder", zipped(t, file{"evil/data.pkl", evil}, file{"m/data.pkl", benign}), "multiple-roots"},
		{"called a text", checkpoint(t, file{"m/notes.txt", evil}), "extension-mismatch"},
		{"called nothing, of protocol 0", checkpoint(t, file{"m/weights", evil0}), "extension-mismatch"},
		{"among the storages, and named by no pickle", checkpoint(t, file{"m/data/1", evil}), "extension-mismatch"},
		{"packed", deflated(t, file{"m/data.pkl", evil}), ""},
		{"packed, and said to be stored in the directory", edited(block, bytes.Index(block, []byte("PK\x01\x02"))+10, 0), "bad-crc header-mismatch not-pickle"},
		{"under another name in its own header", edited(listed, local+2, 'x'), "header-mismatch"},
		{"encrypted, or so it is said", edited(edited(listed, local-30+6, 1), central+8, 1), "bad-flags"},
		{"with a checksum that is wrong", edited(edited(listed, local-30+14, 1), central+16, 1), "bad-crc"},
		{"with a size that is too small", edited(listed, central+20, 1, 0, 0, 0, 1), "header-mismatch"},
		{"for a version that does not exist", edited(listed, central+6, 0xff, 0xff), "header-mismatch"},
		{"unlisted", unlisted, "bad-eocd orphan-entry"},
		{"before the archive", slices.Concat([]byte(evil), sound), "polyglot prefix-data trailing-data"},
		{"after it", slices.Concat(sound, []byte("junk"), []byte(evil)), "trailing-data"},
		{"in the comment", commented("junk" + evil), ""},
		{"in an extra field", extra.Bytes(), ""},
		{"in an archive in front of it", slices.Concat(zipped(t, file{"m/data.pkl", evil}), sound), "duplicate-entry multiple-eocd prefix-data"},
		{"in an archive behind it", slices.Concat(sound, zipped(t, file{"m/data.pkl", evil})), "duplicate-entry multiple-eocd prefix-data"},
		{"in an archive within", checkpoint(t, file{"m/blob", string(zipped(t, file{"m/data.pkl", evil}))}), ""},
		{"without an end", zipped(t, file{"m/data.pkl", evil}, file{"m/x", ""})[:len(evil)+60], "orphan-entry truncated unlisted-data unscanned"},
		{"outside of where it is unpacked to", checkpoint(t, file{"../evil.pkl", evil}), "unsafe-name"},
		{"under a name that ends at a zero byte", checkpoint(t, file{"m/data.pkl\x00.txt", evil}), "duplicate-entry extension-mismatch unsafe-name"},
	} {
		r := scanned(t, new(Scanner), tt.bytes, "model.pt")
		got := strings.Join(strings.Fields(strings.NewReplacer("dangerous-import", "", "multiple-pickles", "").Replace(rules(r))), " ")
		if r.Verdict != pickle.Dangerous || !imported(r, "os.system") {
			t.Errorf("%s: %v, without the import: %v", tt.name, r.Verdict, r.Findings)
		}
		if got != tt.rules {
			t.Errorf("%s: rules are %q, want %q: %v", tt.name, got, tt.rules, r.Findings)
		}
	}
}

// Unusual archives without a payload are suspicious.
func TestOddArchives(t *testing.T) {
	sound := checkpoint(t)
	listed := checkpoint(t, file{"m/link", "/etc/passwd"})
	central := bytes.LastIndex(listed, []byte("PK\x01\x02"))
	aes := zipped(t, file{"m/data.pkl", "\x01\x02\x03\x04"})
	method := bytes.Index(aes, []byte("PK\x01\x02")) + 10
	for _, tt := range []struct {
		name     string
		bytes    []byte
		rules    string
		complete bool
	}{
		{"a symbolic link", edited(listed, central+40, 0xff, 0xa1), "symlink", true},
		{"encrypted by AES", edited(edited(aes, method, 99), 8, 99), "encrypted unscanned", false},
		{"packed by what is not known", edited(edited(aes, method, 93), 8, 93), "odd-compression unscanned", false},
		{"deflate that is none", edited(edited(aes, method, 8), 8, 8), "unscanned", false},
		{"zeros after the end", append(bytes.Clone(sound), make([]byte, 100)...), "", true},
		{"Python source", checkpoint(t, file{"m/handler.py", "import os\n"}), "python-source-in-archive", true},
	} {
		r := scanned(t, new(Scanner), tt.bytes, "model.pt")
		if rules(r) != tt.rules || r.Complete != tt.complete || (r.Verdict > pickle.Safe) != (tt.rules != "") {
			t.Errorf("%s: %v (%s), complete is %v: %v", tt.name, r.Verdict, rules(r), r.Complete, r.Findings)
		}
	}
}

// No loader executes tensor data, so a pickle in it is only unusual. The data must be present
// with the size that the pickle gives.
func TestStorages(t *testing.T) {
	t.Run("stored", func(t *testing.T) { testStorages(t, zipped) })
	t.Run("deflated", func(t *testing.T) { testStorages(t, deflated) })
}

func testStorages(t *testing.T, pack func(testing.TB, ...file) []byte) {
	data := func(class string, elements byte, files ...file) []byte {
		return pack(t, append([]file{{"m/data.pkl", tensorPickle(class, "0", elements)}}, files...)...)
	}
	for _, tt := range []struct {
		name  string
		bytes []byte
		rules string
	}{
		{"sound", data("FloatStorage", 1, file{"m/data/0", "1234"}), ""},
		{"of a class of other elements", data("DoubleStorage", 1, file{"m/data/0", "12345678"}), ""},
		{"a pickle", data("ByteStorage", byte(len(evil)), file{"m/data/0", evil}), "embedded-pickle-bytes"},
		{"a pickle behind other numbers", data("ByteStorage", byte(len(evil)+4), file{"m/data/0", "1234" + evil}), ""},
		{"too short", data("FloatStorage", 2, file{"m/data/0", "1234"}), "storage-size-mismatch"},
		{"too long", data("FloatStorage", 1, file{"m/data/0", "12345678"}), "storage-size-mismatch"},
		{"not there", data("FloatStorage", 1), "missing-storage"},
		{"a byte order that there is not", data("FloatStorage", 1, file{"m/data/0", "1234"}, file{"m/byteorder", "medium"}), "bad-byteorder"},
	} {
		r := scanned(t, new(Scanner), tt.bytes, "model.pt")
		if rules(r) != tt.rules || r.Verdict == pickle.Dangerous {
			t.Errorf("%s: %v (%s), want %s: %v", tt.name, r.Verdict, rules(r), tt.rules, r.Findings)
		}
	}
	// TorchScript has two pickles whose storages have the same keys.
	script := pack(t, file{"m/data.pkl", tensorPickle("FloatStorage", "0", 1)}, file{"m/constants.pkl", tensorPickle("DoubleStorage", "0", 1)},
		file{"m/data/0", "1234"}, file{"m/constants/0", "12345678"}, file{"m/code/x.py", "pass"})
	if r := scanned(t, new(Scanner), script, "model.pt"); rules(r) != "torchscript" {
		t.Errorf("TorchScript: %s: %v", rules(r), r.Findings)
	}
	deep := scanned(t, &Scanner{Deep: true}, data("ByteStorage", byte(len(evil)+4), file{"m/data/0", "1234" + evil}), "model.pt")
	if rules(deep) != "embedded-pickle-bytes" || deep.Verdict != pickle.Suspicious {
		t.Errorf("a deep scan: %v (%s)", deep.Verdict, rules(deep))
	}
}

// Archives are opened up to a depth; deeper ones make the scan incomplete.
func TestDepth(t *testing.T) {
	nested := func(n int) []byte {
		b := []byte(evil)
		for i := range n {
			b = zipped(t, file{fmt.Sprintf("%d.zip", i), string(b)})
		}
		return b
	}
	if r := scanned(t, new(Scanner), nested(8), "x.zip"); r.Verdict != pickle.Dangerous || !r.Complete || !strings.Contains(notes(r), "nested-archive") {
		t.Errorf("8 deep: %v, complete is %v: %v", r.Verdict, r.Complete, r.Findings)
	}
	if r := scanned(t, new(Scanner), nested(9), "x.zip"); r.Verdict != pickle.Suspicious || r.Complete {
		t.Errorf("9 deep: %v, complete is %v", r.Verdict, r.Complete)
	}
	if r := scanned(t, &Scanner{MaxDepth: 9}, nested(9), "x.zip"); r.Verdict != pickle.Dangerous {
		t.Errorf("9 deep, of 9: %v", r.Verdict)
	}
}

// The names of the members determine the kind of an archive.
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		format string
		files  []file
		rules  string
	}{
		{"zip", []file{{"a", "x"}}, ""},
		{"pytorch-zip", []file{{"m/data.pkl", benign}}, ""},
		{"pytorch-zip", []file{{"data.pkl", benign}}, ""},
		{"torchscript", []file{{"m/data.pkl", benign}, {"m/constants.pkl", benign}, {"m/code/__torch__.py", "def forward(self):\n"}}, "torchscript"},
		{"torch-package", []file{{"m/.data/extern_modules", "sys\n"}, {"m/model/model.pkl", benign}, {"m/mod.py", "import os"}}, "python-source-in-archive"},
		{"torchserve-mar", []file{{"MAR-INF/MANIFEST.json", "{}"}, {"handler.py", "import os"}}, "python-source-in-archive"},
		{"npz", []file{{"arr_0.npy", npyArray("'<f4'", "(1,)") + "1234"}}, ""},
		{"keras", []file{{"metadata.json", "{}"}, {"config.json", "{}"}}, ""},
	} {
		r := scanned(t, new(Scanner), zipped(t, tt.files...), "x.zip")
		if r.Format != tt.format || rules(r) != tt.rules {
			t.Errorf("%v is %s (%s), want %s (%s): %v", tt.files[0].name, r.Format, rules(r), tt.format, tt.rules, r.Findings)
		}
	}
	script := zipped(t, file{"m/data.pkl", benign}, file{"m/constants.pkl", benign}, file{"m/code/a.py", "torch.from_file(\"x\")"})
	if r := scanned(t, new(Scanner), script, "x.pt"); !slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Message, "from_file") }) {
		t.Errorf("%v", r.Findings)
	}
}

// Little is read of a large checkpoint: its end, its directory, its pickle and the first bytes
// of the other members.
func TestReadsLittle(t *testing.T) {
	const megabytes = 20
	big := strings.Repeat("x", megabytes<<20)
	b := zipped(t, file{"m/data.pkl", tensorPickle("ByteStorage", "0", 1)}, file{"m/data/0", big})
	c := &readCounter{r: bytes.NewReader(b)}
	if _, err := new(Scanner).Scan(c, int64(len(b)), "model.pt"); err != nil {
		t.Fatal(err)
	}
	if c.bytes > 400<<10 || c.reads > 30 {
		t.Errorf("%d bytes in %d reads, of %d", c.bytes, c.reads, len(b))
	}
}

// A readCounter counts the bytes that are read.
type readCounter struct {
	r            io.ReaderAt
	bytes, reads int
}

func (c *readCounter) ReadAt(b []byte, off int64) (int, error) {
	c.bytes += len(b)
	c.reads++
	return c.r.ReadAt(b, off)
}

// Members with a compression that Python supports and archive/zip does not.
func TestAgainstPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python")
	}
	dir := t.TempDir()
	script := `import sys,zipfile
for m in ("BZIP2","LZMA"):
    with zipfile.ZipFile(sys.argv[1]+"/"+m+".pt","w",getattr(zipfile,"ZIP_"+m)) as z:
        z.writestr("m/data.pkl", bytes.fromhex(sys.argv[2])*50)
`
	if out, err := exec.Command(python, "-c", script, dir, fmt.Sprintf("%x", evil)).CombinedOutput(); err != nil {
		t.Skipf("Python cannot: %s", out)
	}
	for _, name := range []string{"BZIP2", "LZMA"} {
		b := readFile(t, filepath.Join(dir, name+".pt"))
		r := scanned(t, new(Scanner), b, "model.pt")
		if r.Verdict != pickle.Dangerous || !imported(r, "os.system") || !strings.Contains(rules(r), "odd-compression") {
			t.Errorf("%s: %v (%s)", name, r.Verdict, rules(r))
		}
	}
}

// Python finds an archive at the end of any file, and PyTorch does not, so both are analyzed.
func TestPolyglots(t *testing.T) {
	archive := string(zipped(t, file{"data.pkl", evil}))
	text := string([]byte{byte(len(archive)), byte(len(archive) >> 8), 0, 0}) + archive
	for name, head := range map[string]string{
		"an image":         "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 100),
		"a page":           "<html>not found</html>" + strings.Repeat(" ", headSize),
		"Java":             javaObject("java.util.HashMap"),
		"HDF5":             hdf5Magic + strings.Repeat("\x00", 100),
		"a pickle":         benign,
		"a configuration":  `{"a": 1}` + strings.Repeat(" ", headSize),
		"an array":         npyArray("'<f4'", "(1,)") + "1234",
		"a stored archive": string(tarred(t, file{"a", "x"})),
	} {
		r := scanned(t, new(Scanner), []byte(head+archive), "x")
		if r.Verdict != pickle.Dangerous || !imported(r, "os.system") || !strings.Contains(rules(r), "polyglot") {
			t.Errorf("%s: %s, %v (%s)", name, r.Format, r.Verdict, rules(r))
		}
	}
	for name, b := range map[string]string{"a string of a pickle": "\x80\x02X" + text + ".", "bytes of a pickle": "\x80\x04B" + text + "."} {
		if r := scanned(t, new(Scanner), []byte(b), "x.pkl"); r.Verdict != pickle.Dangerous {
			t.Errorf("%s: %v (%s)", name, r.Verdict, rules(r))
		}
	}
	// An archive in an archive is not a polyglot.
	inner := string(checkpoint(t))
	for name, b := range map[string][]byte{"tar": tarred(t, file{"m.pt", inner}), "gzip": gzipped(t, inner), "zip": zipped(t, file{"m.pt", inner})} {
		if r := scanned(t, new(Scanner), b, "x"); r.Verdict != pickle.Safe {
			t.Errorf("a checkpoint in %s: %v (%s)", name, r.Verdict, rules(r))
		}
	}
}
