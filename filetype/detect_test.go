// Detection of files that are cut off, hostile or ours, and errors of readers.

package filetype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestHeads checks that the first bytes alone tell almost every sample, and that what is
// found in them agrees with what is found in the file.
func TestHeads(t *testing.T) {
	// What these archives hold shows only in their directory.
	needFile := map[string]bool{"pytorch-zip~data-first": true, "torchscript": true, "keras": true}
	for name, b := range samples(t) {
		want := kindOf(name)
		if got := DetectHead(b[:min(len(b), HeadSize)]); got.Kind != want && !needFile[name] {
			t.Errorf("the head of %s is %v", name, got)
		}
	}
}

// TestCutShort cuts each sample at every byte: nothing panics, and what is said stays on one line.
func TestCutShort(t *testing.T) {
	for name, b := range samples(t) {
		for n := range min(len(b), 700) {
			got, err := Detect(bytes.NewReader(b[:n]), int64(n))
			if err != nil || got.Kind == "" || strings.ContainsAny(got.String(), "\n\x1b") || len(got.String()) > 500 {
				t.Errorf("%d bytes of %s are %v, %v", n, name, got, err)
			}
		}
	}
}

// TestMutations changes bytes of the samples: nothing panics.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range samples(t) {
		b = bytes.Clone(b)
		for range 200 {
			if len(b) == 0 {
				break
			}
			b[rng.IntN(min(len(b), 200))] = byte(rng.Uint32())
			b[len(b)-1-rng.IntN(min(len(b), 100))] = byte(rng.Uint32())
			if _, err := Detect(bytes.NewReader(b), int64(len(b))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNoise checks that random bytes are seldom taken for something.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b, found := make([]byte, HeadSize), 0
	const rounds = 20_000
	for range rounds {
		for i := 0; i < len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], rng.Uint64())
		}
		if DetectHead(b).Kind != Unknown {
			found++
		}
	}
	if found > rounds/1000 {
		t.Errorf("%d of %d runs of random bytes are taken for something", found, rounds)
	}
}

// TestLengths checks that a header of any length is not taken for another format.
func TestLengths(t *testing.T) {
	for n := range uint64(1 << 16) {
		b := append(binary.LittleEndian.AppendUint64(nil, n<<8|n&0xff), `{"a":`...)
		if got := DetectHead(b); got.Kind != Safetensors {
			t.Fatalf("a header of %d bytes is %v", n<<8|n&0xff, got)
		}
	}
}

func TestDetails(t *testing.T) {
	const version = "version https://git-lfs.github.com/spec/v1\n"
	for text, want := range map[string]string{
		version + "oid sha256:0123abcd\nsize 12\n": "a Git LFS pointer to 12 bytes with the oid sha256:0123abcd",
		version + "size -1\noid \x1b[31m\n":        `a Git LFS pointer to "-1" bytes with the oid "\x1b[31m"`,
		version + "size -1\noid A\n":               `a Git LFS pointer to "-1" bytes with the oid "A"`,
		"Entry not found":                          `a text file that begins with "Entry not found"`,
		"\xef\xbb\xbf{\"error\": 1}":               `a JSON error message from a server ("{\"error\": 1}")`,
		"from os import system\nx = 1":             `Python source code that begins with "from os import system"`,
		"package main\n\nimport \"fmt\"\n":         `a text file that begins with "package main"`,
		"import java.util.List;\n":                 `a text file that begins with "import java.util.List;"`,
		"import os, sys\n":                         `Python source code that begins with "import os, sys"`,
		strings.Repeat("a", 70):                    `a text file that begins with "` + strings.Repeat("a", 60) + `"...`,
		"\x80\x05K\x01.":                           "a Python pickle, which can run code when it is loaded (protocol 5)",
	} {
		if got := DetectHead([]byte(text)).String(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{
		"zip":     `a zip archive with one file, "model.safetensors"`,
		"zip~two": `a zip archive with 2 files, beginning with "model/model.safetensors"`,
	} {
		b := samples(t)[name]
		if got, _ := Detect(bytes.NewReader(b), int64(len(b))); got.String() != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
}

// A failing reader gives bytes up to a place, and an error from there on.
type failing struct {
	b    []byte
	from int64
	err  error
}

func (f failing) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) > f.from {
		return 0, f.err
	}
	return bytes.NewReader(f.b).ReadAt(b, off)
}

// TestErrors checks that an error of the reader is returned, at the start and at the directory.
func TestErrors(t *testing.T) {
	boom := errors.New("the disk is on fire")
	zip := samples(t)["pytorch-zip~data-first"]
	for _, from := range []int64{0, HeadSize} {
		if got, err := Detect(failing{zip, from, boom}, int64(len(zip))); !errors.Is(err, boom) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if _, err := Detect(bytes.NewReader(zip), int64(len(zip))+1); err != nil {
		t.Error(err)
	}
	if _, err := Detect(bytes.NewReader(zip[:8]), 100); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestFor checks that a path in advice is one word of a shell.
func TestFor(t *testing.T) {
	for file, want := range map[string]string{
		"model.bin": "`unzip model.bin`", "my model": "`unzip 'my model'`", "it's; rm": `'it'\''s; rm'`, "-x": "./-x",
		"": "''",
	} {
		if got := For(Zip.Advice(), file); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWeightsFormat(t *testing.T) {
	for name, want := range map[string]string{
		"pytorch_model.bin": "PyTorch", "a/b.SAFETENSORS": "safetensors", "model.gguf": "GGUF", "config.json": "",
		"bin": "", "": "",
	} {
		if got := WeightsFormat(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
