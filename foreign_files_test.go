// Files by foreign writers, compared with what foreign readers found in them.

package safetensors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// A foreignFile is one file of testdata/manifest.json; testdata/README.md says
// where each of its figures comes from.
type foreignFile struct {
	Path       string
	SHA256     string
	Size       int64
	HeaderSize int64 `json:"header_size"`
	Metadata   map[string]string
	Params     int64
	Bytes      int64
	Tensors    []struct {
		Name    string
		Dtype   safetensors.Dtype
		Shape   []int64
		Offsets [2]int64 `json:"data_offsets"`
		SHA256  string
	}
}

func foreignFiles(t *testing.T) []foreignFile {
	t.Helper()
	b, err := os.ReadFile("testdata/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Files []foreignFile }
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Files) == 0 {
		t.Fatal("the manifest lists no files")
	}
	return manifest.Files
}

// TestForeignFiles reads each file through every door that gives tensors.
func TestForeignFiles(t *testing.T) {
	for _, want := range foreignFiles(t) {
		name := filepath.Join("testdata", filepath.FromSlash(want.Path))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want.SHA256 || int64(len(b)) != want.Size {
			t.Errorf("%s is not the file of the manifest", name)
		}
		mapped := safetensors.Opener{Mapped: true}
		lenient := safetensors.Opener{Lenient: true}
		doors := map[string]func() (*safetensors.File, error){
			"Open":    func() (*safetensors.File, error) { return safetensors.Open(name) },
			"Mapped":  func() (*safetensors.File, error) { return mapped.Open(name) },
			"Lenient": func() (*safetensors.File, error) { return lenient.Open(name) },
			"NewFile": func() (*safetensors.File, error) { return safetensors.NewFile(bytes.NewReader(b), want.Size) },
		}
		for door, open := range doors {
			t.Run(fmt.Sprintf("%s/%s", want.Path, door), func(t *testing.T) {
				f, err := open()
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				want.compareHeader(t, f.Header)
				want.compareBytes(t, f)
			})
		}
		t.Run(want.Path+"/ReadHeader", func(t *testing.T) {
			h, err := safetensors.ReadHeader(io.MultiReader(bytes.NewReader(b[:8+want.HeaderSize]), failing{}))
			if err != nil {
				t.Fatal(err)
			}
			want.compareHeader(t, h)
		})
		t.Run(want.Path+"/Validate", func(t *testing.T) {
			report, err := safetensors.Validate(bytes.NewReader(b), want.Size)
			if err != nil || report.Err() != nil {
				t.Fatal(err, report.Err())
			}
			want.compareHeader(t, report.Header)
		})
	}
}

func (want *foreignFile) compareHeader(t *testing.T, h *safetensors.Header) {
	t.Helper()
	// The manifest does not tell null from absent, and neither does a reader.
	if h.Size != want.HeaderSize || !maps.Equal(h.Metadata, want.Metadata) || (h.Metadata == nil) != (want.Metadata == nil) {
		t.Errorf("N = %d, metadata %q; want %d and %q", h.Size, h.Metadata, want.HeaderSize, want.Metadata)
	}
	if len(h.Tensors) != len(want.Tensors) {
		t.Errorf("%d tensors, want %d", len(h.Tensors), len(want.Tensors))
	}
	var params, size int64
	for _, w := range want.Tensors {
		ti := h.Lookup(w.Name)
		if ti == nil {
			t.Errorf("no tensor %q", w.Name)
			continue
		}
		offsets := safetensors.Span{Begin: w.Offsets[0], End: w.Offsets[1]}
		if ti.Name != w.Name || ti.Dtype != w.Dtype || !slices.Equal(ti.Shape, w.Shape) || ti.Offsets != offsets {
			t.Errorf("%+v, want %+v", ti, w)
		}
		params += ti.NumElems()
		size += ti.Size()
	}
	if params != want.Params || size != want.Bytes {
		t.Errorf("%d params and %d bytes, want %d and %d", params, size, want.Params, want.Bytes)
	}
}

// compareBytes checks the digest of every tensor, read in each of the three ways.
func (want *foreignFile) compareBytes(t *testing.T, f *safetensors.File) {
	t.Helper()
	for _, w := range want.Tensors {
		tensor, err := f.Tensor(w.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		whole, err := tensor.Bytes()
		if err != nil {
			t.Error(err)
		}
		read, err := io.ReadAll(tensor.Open())
		if err != nil {
			t.Error(err)
		}
		var written bytes.Buffer
		if n, err := tensor.WriteTo(&written); err != nil || n != tensor.Size() {
			t.Errorf("WriteTo: %d bytes, %v", n, err)
		}
		for _, b := range [][]byte{whole, read, written.Bytes()} {
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != w.SHA256 {
				t.Errorf("the %d bytes of %q are not those of the manifest", len(b), w.Name)
			}
		}
	}
}

// TestForeignFilesWrittenAgain checks that a header by the reference comes out
// byte for byte, since both write the same form.
func TestForeignFilesWrittenAgain(t *testing.T) {
	for _, file := range foreignFiles(t) {
		if len(file.Metadata) > 1 || file.Path[:4] == "mlx/" {
			continue // the order of metadata is by chance; MLX has a form of its own
		}
		b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file.Path)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := safetensors.ReadHeader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		h.Size = 0
		got, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := b[:8+file.HeaderSize]; !bytes.Equal(got, want) {
			t.Errorf("%s: the header is\n%q, written again\n%q", file.Path, want, got)
		}
	}
}
