// Files of other formats: that they are named, and that ours are not.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/vectors"
)

// TestForeignFormatsAreNamed checks that what a user reads has the word by which
// the format is known.
func TestForeignFormatsAreNamed(t *testing.T) {
	words := map[string]string{
		"git-lfs-pointer": "a Git LFS pointer to 4,976,698,672 bytes with the oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393",
		"html":            "an HTML page", "html-without-doctype": "an HTML page",
		"json-error": `a JSON error message from a server ("{\"error\":\"Repository not found\",\"code\":404}")`, "json-index": "an index of safetensors shards", "json-array": "a JSON file",
		"xml": "an XML error message from object storage", "text": `a text file that begins with "Entry not found"`, "text-outside-ascii": "verfügbar",
		"zip": "a PyTorch checkpoint (zip)", "pytorch-legacy": "a PyTorch checkpoint (legacy pickle format)", "pickle-2": "a Python pickle, which can run code when it is loaded (protocol 2)", "pickle-4": "(protocol 4)",
		"gguf": "GGUF", "numpy": "NumPy", "hdf5": "HDF5", "gzip": "gzip", "zstandard": "Zstandard", "xz": "xz", "bzip2": "bzip2", "7z": "7z", "rar": "RAR",
		"tar": "tar archive", "tensorflow-lite": "TensorFlow Lite", "byte-order-mark": "byte order mark", "pdf": "PDF", "png": "PNG", "jpeg": "a JPEG image", "onnx": "an ONNX model", "flax": "MessagePack",
		"appledouble": "AppleDouble", "xet-pointer": "a Xet pointer", "link-text": "the text of a symbolic link to", "elf": "(ELF)",
		"python": "Python source code",
		"zeros":  "zero bytes", "many-zeros": "zero bytes",
	}
	for v := range vectors.All() {
		name, ok := strings.CutPrefix(v.Name, "not-safetensors/")
		if !ok {
			continue
		}
		r := report(t, v.File)
		if words[name] == "" || len(r.Violations) != 1 || !strings.Contains(r.Violations[0].Detail, words[name]) {
			t.Errorf("%s is %v, want %q", name, r.Violations, words[name])
		}
		if r.Header != nil {
			t.Errorf("%s has the header %+v", name, r.Header)
		}
	}
}

// TestForeignFilesCutShort cuts each of them at every byte: whatever is left is
// refused, and is neither a crash nor an error of reading.
func TestForeignFilesCutShort(t *testing.T) {
	for v := range vectors.All() {
		if v.Rule != string(safetensors.RuleNotSafetensors) {
			continue
		}
		for n := range min(len(v.File), 300) {
			if r := report(t, v.File[:n]); r.Err() == nil {
				t.Errorf("%d bytes of %s are accepted", n, v.Name)
			}
			if _, err := safetensors.ReadHeader(bytes.NewReader(v.File[:n])); err == nil {
				t.Errorf("%d bytes of %s are accepted as a header", n, v.Name)
			}
		}
	}
}

// TestLFSPointers has pointers that are cut off, out of order, or hostile.
func TestLFSPointers(t *testing.T) {
	const version = "version https://git-lfs.github.com/spec/v1\n"
	for text, want := range map[string]string{
		version + "oid sha256:0123abcd\nsize 12\n":                    "to 12 bytes with the oid sha256:0123abcd,",
		version + "size 12\noid sha256:0123abcd\n":                    "to 12 bytes with the oid sha256:0123abcd,",
		version + "ext-0-foo sha256:99\noid sha256:0123abcd\nsize 12": "to 12 bytes with the oid sha256:0123abcd,",
		version:                             "a Git LFS pointer",
		version + "oid":                     "a Git LFS pointer",
		version + "size -1\noid \x1b[31m\n": `to "-1" bytes with the oid "\x1b[31m"`,
		version + "oid " + strings.Repeat("a", 900) + "\nsize 12\n": "to 12 bytes",
	} {
		r := report(t, []byte(text))
		if v := r.Violations[0]; v.Rule != safetensors.RuleNotSafetensors || !strings.Contains(v.Detail, want) || !isLine(v.Error()) || len(v.Error()) > 400 {
			t.Errorf("%q is %v, want %q", text, v, want)
		}
	}
}

// TestLengthsLikeOtherFormats has files of ours whose length, by chance, has the
// first bytes of another format. Whatever is wrong with them, they are ours.
func TestLengthsLikeOtherFormats(t *testing.T) {
	// 80 02 to 80 05 are pickles of protocol 2 to 5, and 1f 8b is gzip.
	for _, n := range []int{0x280, 0x380, 0x480, 0x580, 0x10280, 0x8b1f, 0x18b1f} {
		whole := append(start(`{`+entry("a", 0, 4)+`}`, n), 1, 2, 3, 4)
		if r := report(t, whole); r.Err() != nil {
			t.Errorf("N = %#x: %v", n, r.Err())
		}
		for _, test := range []struct {
			name string
			file []byte
			want safetensors.Rule
		}{
			{"cut in the header", whole[:100], safetensors.RuleHeaderSize},
			{"cut after the brace", whole[:9], safetensors.RuleHeaderSize},
			{"cut in the data", whole[:len(whole)-1], safetensors.RuleTruncated},
			{"with a fault before the first tensor", append(start(`{a`+entry("a", 0, 4)+`}`, n), 1, 2, 3, 4), safetensors.RuleJSON},
		} {
			if v := report(t, test.file).First(safetensors.Invalid); v == nil || v.Rule != test.want {
				t.Errorf("N = %#x, %s: %v, want %v", n, test.name, v, test.want)
			}
		}
	}
}

// TestLargeZip has a zip archive that is large enough for its first eight bytes
// to be a length that a header could have: 67,324,752, if it is stored without
// flags, by a version of 0.
func TestLargeZip(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 67 MB")
	}
	const size = 0x04034b50 + 1<<20
	zip := hollow{"PK\x03\x04\x00\x00\x00\x00\x00\x00", size}
	r, err := safetensors.Validate(zip, size)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Violations[0]; v.Rule != safetensors.RuleNotSafetensors || !strings.Contains(v.Detail, "zip") {
		t.Errorf("%v", r.Violations)
	}
}

// A hollow is a file of zeros with something at its start.
type hollow struct {
	head string
	size int64
}

func (s hollow) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), s.size-off))
	clear(b[:n])
	if off < int64(len(s.head)) {
		copy(b[:n], s.head[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// TestForeignPassesOnErrors checks that a reader which gives the length and then
// fails is not taken for a file of any format.
func TestForeignPassesOnErrors(t *testing.T) {
	boom := errors.New("the disk is on fire")
	for _, file := range []string{"Entry not found", "\x00\x00\x00\x00\x00\x00\x00\x00{}", "\xff\xff\xff\xff\xff\xff\xff\xff{}"} {
		disk := &failingAfter{b: []byte(file), from: 8, err: boom}
		if r, err := safetensors.Validate(disk, int64(len(file))); r != nil || !errors.Is(err, boom) {
			t.Errorf("%q: %v, %v", file, r, err)
		}
	}
}

// TestForeignStreams checks that a stream of another format is refused, and that
// the message says no more than eight bytes can tell.
func TestForeignStreams(t *testing.T) {
	for v := range vectors.All() {
		if v.Rule != string(safetensors.RuleNotSafetensors) {
			continue
		}
		_, err := safetensors.ReadHeader(bytes.NewReader(v.File))
		var violation *safetensors.Violation
		if !errors.As(err, &violation) || !isLine(err.Error()) {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if strings.Contains(violation.Detail, fmt.Sprintf("a text of %d bytes", 8)) {
			t.Errorf("%s: %v: the stream may be longer than what was read of it", v.Name, err)
		}
	}
}
