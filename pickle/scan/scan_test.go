// Detection of formats by content, and pieces from which tests make files.

package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// Handmade pickles of protocols 2 and 0. The first two would run the program "true"; the third
// is {}, and the fourth imports a name that is on no list.
const (
	evil    = "\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R."
	evil0   = "cos\nsystem\n(S'true'\ntR."
	benign  = "\x80\x02}."
	unknown = "\x80\x02cmypackage.models\nNet\n)R."
)

// scanned scans bytes under the given name.
func scanned(t testing.TB, s *Scanner, b []byte, name string) *Report {
	t.Helper()
	r, err := s.Scan(bytes.NewReader(b), int64(len(b)), name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// rules returns the rules of findings, each once, sorted, without notes.
func rules(r *Report) string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity > pickle.Note {
			list = append(list, string(f.Rule))
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// notes returns the rules of notes.
func notes(r *Report) string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity == pickle.Note {
			list = append(list, string(f.Rule))
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// imported reports whether a report has an import, written as in a manifest.
func imported(r *Report, name string) bool {
	return slices.ContainsFunc(r.Imports, func(im Import) bool { return im.String() == name })
}

// The content determines the format of a file.
func TestFormats(t *testing.T) {
	long := strings.Repeat("\x00", 600)
	for _, tt := range []struct {
		name, bytes string
		format      string
		verdict     pickle.Verdict
		rules       string
		notes       string
	}{
		{"model.pkl", benign, "pickle", pickle.Safe, "", ""},
		{"model.pkl", evil, "pickle", pickle.Dangerous, "dangerous-import", ""},
		{"model.pkl", unknown, "pickle", pickle.Suspicious, "unknown-import", ""},
		{"model.bin", evil0, "pickle", pickle.Dangerous, "dangerous-import", ""},
		{"0123456789abcdef", evil, "pickle", pickle.Dangerous, "dangerous-import", ""},
		{"notes.txt", evil0, "pickle", pickle.Dangerous, "dangerous-import extension-mismatch", ""},
		{"model.safetensors", benign, "pickle", pickle.Suspicious, "extension-mismatch", ""},
		{"model.pkl", "", "empty", pickle.Safe, "", ""},
		{"model.pkl", "a text, and no pickle", "text", pickle.Suspicious, "not-pickle", ""},
		{"README.md", "a text, and no pickle", "text", pickle.Safe, "", ""},
		{"vocab.txt", "cat\ndog\nelephant\n", "text", pickle.Safe, "", ""},
		// A call of an unknown name, followed by invalid bytes: the call has run.
		{"model.bin", "cmypackage\nrun\n(tR\xff", "pickle", pickle.Suspicious, "parse-error unknown-import", ""},
		{"model.bin", "cmypackage\nrun\n\xff", "text", pickle.Safe, "", ""},
		{"model.bin", "\x01\x02\x03 something", "data", pickle.Unanalysed, "", "unanalysed"},
		{"model.pt", "\x01\x02\x03 something", "data", pickle.Suspicious, "not-pickle", ""},
		{"model.bin", "GGUF\x03\x00\x00\x00", "gguf", pickle.Suspicious, "truncated", "look-alike"},
		{"model.gguf", "GGUF\x03\x00\x00\x00", "gguf", pickle.Suspicious, "truncated", ""},
		{"model.bin", "\x89PNG\r\n\x1a\n\x00", "png", pickle.Unanalysed, "", "look-alike unanalysed"},
		{"model.pt", "<!DOCTYPE html><html>", "html", pickle.Unanalysed, "", "look-alike unanalysed"},
		{"model.bin", "\n <html>not found", "html", pickle.Unanalysed, "", "look-alike unanalysed"},
		{"model.pt", "PYTORCH1" + long, "pytorch-preview", pickle.Suspicious, "extension-mismatch unscanned unsupported-format", ""},
		{"model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "lfs-pointer", pickle.Suspicious, "lfs-pointer", ""},
		{"model.7z", "7z\xbc\xaf\x27\x1c\x00\x04" + long, "7z", pickle.Suspicious, "7z unscanned", ""},
		{"model.7z", "7z\xbc\xaf\x27\x1c\x00\x04" + evil + long, "7z", pickle.Dangerous, "7z dangerous-import unscanned", ""},
		{"model.rar", "Rar!\x1a\x07\x01\x00" + long, "rar", pickle.Suspicious, "rar unscanned", ""},
		{"model.zst", "\x50\x2a\x4d\x18\x00\x00\x00\x00\x28\xb5\x2f\xfd\x00", "skippable-frame", pickle.Suspicious, "unscanned unsupported-format", ""},
		{"model.Z", "\x1f\x9d\x90\x00", "compress", pickle.Suspicious, "unscanned unsupported-format", ""},
		{"model.br", "\x0b\x02\x80\x41\x03", "data", pickle.Suspicious, "unscanned", "unanalysed"},
		{"model.xz.txt", "a text", "text", pickle.Safe, "", ""},
		{"model.zst", "\x28\xb5\x2f\xfd\x00", "zstd", pickle.Suspicious, "unscanned zstd", "compressed-wrapper"},
		{"config.json", `{"model_type": "llama"}`, "json", pickle.Safe, "", ""},
		{"lib.so", "\x7fELF\x02\x01\x01\x00", "elf", pickle.Unanalysed, "", "unanalysed"},
		{"setup.py", "import os\n", "python-source", pickle.Unanalysed, "", "unanalysed"},
		// INST with two lines, OBJ, SETITEM, STOP: a complete pickle whose first instruction
		// fails.
		{"setup.py", "import os, json\nfrom a import b\nos.chdir('x')\n", "python-source", pickle.Unanalysed, "", "unanalysed"},
		{"setup.py", "import os, json\nfrom a import b\nos." + evil, "data", pickle.Dangerous, "dangerous-import", "unanalysed"},
	} {
		r := scanned(t, new(Scanner), []byte(tt.bytes), tt.name)
		if r.Format != tt.format || r.Verdict != tt.verdict || rules(r) != tt.rules || notes(r) != tt.notes {
			t.Errorf("%s with %.20q is %s, %v (%s; %s), want %s, %v (%s; %s)", tt.name, tt.bytes, r.Format, r.Verdict, rules(r), notes(r), tt.format, tt.verdict, tt.rules, tt.notes)
		}
		if r.Verdict == pickle.Safe && !r.Complete {
			t.Errorf("%s with %.20q is safe and not complete", tt.name, tt.bytes)
		}
	}
}

// Data that was not analyzed is never safe, and is reported.
func TestIncomplete(t *testing.T) {
	for name, b := range map[string]string{
		"model.7z": "7z\xbc\xaf\x27\x1c", "model.bin": "version https://git-lfs.github.com/spec/v1\noid x\n", "model.zst": "\x28\xb5\x2f\xfd", "model.pkl": benign[:3],
	} {
		r := scanned(t, new(Scanner), []byte(b), name)
		if r.Complete || r.Reason == "" || r.Verdict < pickle.Suspicious {
			t.Errorf("%s: %v, complete is %v: %q", name, r.Verdict, r.Complete, r.Reason)
		}
	}
}

// Pickles after unknown bytes are found, and bytes that only look like one are not reported.
func TestHiddenInData(t *testing.T) {
	noise := bytes.Repeat([]byte{0xfe, 0x00, 0x80, 0x02, 0xfd}, 1000)
	r := scanned(t, new(Scanner), slices.Concat(noise, []byte(evil), noise), "weights.bin")
	if r.Verdict != pickle.Dangerous || !imported(r, "os.system") {
		t.Errorf("%v, %v", r.Verdict, r.Imports)
	}
	if r := scanned(t, new(Scanner), noise, "weights.bin"); r.Verdict != pickle.Unanalysed || len(r.Findings) > 1 {
		t.Errorf("noise is %v: %v", r.Verdict, r.Findings)
	}
	// 16 MiB are searched, and more if the scan is deep.
	far := slices.Concat(make([]byte, usualSearch+1000), []byte(evil))
	if r := scanned(t, new(Scanner), far, "weights.bin"); r.Verdict != pickle.Unanalysed || notes(r) != "partly-searched unanalysed" {
		t.Errorf("%v (%s)", r.Verdict, notes(r))
	}
	if r := scanned(t, &Scanner{Deep: true}, far, "weights.bin"); r.Verdict != pickle.Dangerous {
		t.Errorf("deep: %v", r.Verdict)
	}
}

// Files made by a Python script, with the results that its comments give.
func TestTestdata(t *testing.T) {
	for name, want := range map[string]struct {
		format  string
		verdict pickle.Verdict
	}{
		"harmless.pkl": {"pickle", pickle.Dangerous}, "model.pt": {"pytorch-zip", pickle.Safe}, "old.bin": {"pytorch-legacy", pickle.Safe},
	} {
		b, err := os.ReadFile(filepath.Join("../../testdata/scan", name))
		if err != nil {
			t.Fatal(err)
		}
		if r := scanned(t, new(Scanner), b, name); r.Format != want.format || r.Verdict != want.verdict || !r.Complete {
			t.Errorf("%s is %s, %v: %v", name, r.Format, r.Verdict, r.Findings)
		}
	}
}

// A policy can allow names that are on no list, and deny names that are on one.
func TestPolicy(t *testing.T) {
	policy, err := pickle.ParsePolicy(strings.NewReader("allow mypackage.models.Net\ndeny collections.*\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r := scanned(t, &Scanner{Policy: policy}, []byte(unknown), "x.pkl"); r.Verdict != pickle.Safe {
		t.Errorf("what is allowed is %v: %v", r.Verdict, r.Findings)
	}
	if r := scanned(t, &Scanner{Policy: policy}, []byte("\x80\x02ccollections\nOrderedDict\n)R."), "x.pkl"); r.Verdict == pickle.Safe {
		t.Error("what is denied is safe")
	}
}

// A policy accepts a file by its SHA-256.
func TestAcceptedFiles(t *testing.T) {
	sum := sha256.Sum256([]byte(evil))
	s := &Scanner{Policy: &pickle.Policy{Files: []string{hex.EncodeToString(sum[:])}}}
	if r := scanned(t, s, []byte(evil), "x.pkl"); r.Verdict != pickle.Safe || !r.Complete || notes(r) != "accepted" {
		t.Errorf("%v (%s)", r.Verdict, notes(r))
	}
	if r := scanned(t, s, []byte(evil+"x"), "x.pkl"); r.Verdict != pickle.Dangerous {
		t.Errorf("another file: %v", r.Verdict)
	}
}

// Visit is called for each pickle, with readable bytes.
func TestVisit(t *testing.T) {
	var shown []string
	s := &Scanner{Visit: func(p Pickle) {
		b, err := io.ReadAll(io.NewSectionReader(p.Bytes, 0, p.Size))
		if err != nil {
			t.Error(err)
		}
		shown = append(shown, p.Member+":"+string(b))
	}}
	scanned(t, s, zipped(t, file{"a/data.pkl", benign}, file{"a/more", evil}), "x.pt")
	if want := []string{"a/data.pkl:" + benign, "a/more:" + evil}; !slices.Equal(shown, want) {
		t.Errorf("%q, want %q", shown, want)
	}
}

// An error of the reader is returned without a verdict.
func TestErrorsOfReading(t *testing.T) {
	b := zipped(t, file{"a/data.pkl", evil}, file{"a/x", strings.Repeat("x", 10000)})
	for left := range 20 {
		r, err := new(Scanner).Scan(&failing{bytes.NewReader(b), left}, int64(len(b)), "x.pt")
		if err == nil {
			return // it needs no more reads than that
		}
		if r != nil {
			t.Errorf("after %d reads: %v, and yet a report", left, err)
		}
	}
	t.Error("it never succeeds")
}

// A failing reader fails after a number of reads.
type failing struct {
	r    io.ReaderAt
	left int
}

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, io.ErrNoProgress
	}
	return f.r.ReadAt(b, off)
}
