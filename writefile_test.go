// Files under their names: whole or absent, old or new.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// onlyHas checks that a folder has the given names and no others, such as that
// of a hidden file.
func onlyHas(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestWriteFileWritesWhatEncodeDoes(t *testing.T) {
	tensors := []*safetensors.Tensor{
		handMade("b", safetensors.F32, pattern(8), 2), handMade("a", safetensors.BOOL, []byte{1}, 1),
		handMade("c", safetensors.F32, pattern(4<<20), 1<<20), handMade("d", safetensors.U64, nil, 0),
	}
	for _, e := range []safetensors.Encoder{{}, {Metadata: map[string]string{"format": "pt"}, KeepOrder: true, Align: 4096}} {
		dir := t.TempDir()
		name := filepath.Join(dir, "model.safetensors")
		for range 2 { // where nothing is, and over what is there
			if err := e.WriteFile(name, tensors...); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, encoded(t, e, tensors...)) {
				t.Errorf("%+v: another file, %v", e, err)
			}
		}
		onlyHas(t, dir, "model.safetensors")
	}
	name := filepath.Join(t.TempDir(), "model.safetensors")
	if err := safetensors.WriteFile(name, tensors...); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, encoded(t, safetensors.Encoder{}, tensors...)) {
		t.Errorf("WriteFile: another file, %v", err)
	}
}

// TestWriteFileOverItsSource renames the tensors of a file in the file itself.
func TestWriteFileOverItsSource(t *testing.T) {
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		name, old := largeFile(t)
		before, _ := tensorsOf(t, old)
		f, err := o.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var tensors []*safetensors.Tensor
		for tensor := range f.Tensors() {
			tensors = append(tensors, tensor.Rename("model."+tensor.Name))
		}
		if err := safetensors.WriteFile(name, tensors...); err != nil {
			if strings.Contains(err.Error(), "while it is open") {
				t.Skip(err) // on Windows
			}
			t.Fatal(err)
		}
		after, err := safetensors.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer after.Close()
		for _, tensor := range before {
			want, err := tensor.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if got := bytesOf(t, after, "model."+tensor.Name); !bytes.Equal(got, want) {
				t.Errorf("tensor %q has other bytes", tensor.Name)
			}
			// The File that was open is still the old one.
			if got := bytesOf(t, f, tensor.Name); !bytes.Equal(got, want) {
				t.Errorf("tensor %q of the old file has other bytes", tensor.Name)
			}
		}
		onlyHas(t, filepath.Dir(name), filepath.Base(name))
	})
}

// TestWriteFileFails has all that can go wrong before the end, and checks that
// what was there stays, and nothing else is there.
func TestWriteFileFails(t *testing.T) {
	boom := errors.New("the network is down")
	large := handMade("large", safetensors.U8, pattern(3<<20), 3<<20)
	broken := handMade("broken", safetensors.U8, pattern(100), 100)
	broken.ReaderAt = &failingAfter{b: pattern(100), from: 40, err: boom}
	short := handMade("short", safetensors.U8, pattern(100), 100)
	short.ReaderAt = &failingAfter{b: pattern(100), from: 40}
	for _, c := range []struct {
		what    string
		tensors []*safetensors.Tensor
		want    error
		words   string
	}{
		{"a source that fails", []*safetensors.Tensor{large, broken}, boom, `read 40 of the 100 bytes of tensor "broken"`},
		{"a source that ends", []*safetensors.Tensor{short, large}, nil, `read 40 of the 100 bytes of tensor "short"`},
		{"two tensors of one name", []*safetensors.Tensor{large, large}, safetensors.RuleDuplicateName, `"large"`},
		{"a tensor that is none", []*safetensors.Tensor{nil}, nil, "tensor 0 of those to encode is nil"},
	} {
		for _, old := range []bool{false, true} {
			dir := t.TempDir()
			name := filepath.Join(dir, "model.safetensors")
			var has []string
			if old {
				if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
				has = []string{"model.safetensors"}
			}
			err := safetensors.WriteFile(name, c.tensors...)
			var path *fs.PathError
			if !errors.As(err, &path) || path.Path != name || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%s: %v, want %v, %s", c.what, err, c.want, c.words)
			}
			onlyHas(t, dir, has...)
			if b, err := os.ReadFile(name); old && (err != nil || string(b) != "old") {
				t.Errorf("%s: the old file is %q, %v", c.what, b, err)
			}
		}
	}
}

// TestWriteFileWhereNoneCanBe has names that no file can have.
func TestWriteFileWhereNoneCanBe(t *testing.T) {
	dir := t.TempDir()
	tensor := handMade("a", safetensors.U8, []byte{7}, 1)
	for _, name := range []string{dir, dir + "/", filepath.Join(dir, "missing", "m"), "", filepath.Join(dir, strings.Repeat("x", 300))} {
		err := safetensors.WriteFile(name, tensor)
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != name || strings.Contains(err.Error(), ".tmp-") {
			t.Errorf("%q: %v", name, err)
		}
	}
	onlyHas(t, dir)
}

func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("blob", link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	tensor := handMade("a", safetensors.U8, []byte{7}, 1)
	for range 2 { // at first it leads nowhere
		if err := safetensors.WriteFile(link, tensor); err != nil {
			t.Fatal(err)
		}
		if target, err := os.Readlink(link); target != "blob" || err != nil {
			t.Errorf("the link leads to %q, %v", target, err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "blob"))
		if err != nil || !bytes.Equal(got, encoded(t, safetensors.Encoder{}, tensor)) {
			t.Errorf("the file is %q, %v", got, err)
		}
	}
	onlyHas(t, dir, "blob", "link")
}

func ExampleEncoder() {
	bias, err := safetensors.NewTensor("bias", []float32{0.5, -1}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := safetensors.Encoder{Metadata: map[string]string{"format": "pt"}, Align: 4096}
	h, err := e.Plan(bias)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the data begins at", h.DataStart())
	fmt.Println(h.Tensors[0].Dtype, h.Tensors[0].ShapeString(), h.Tensors[0].Offsets)
	// Output:
	// the data begins at 4096
	// F32 [2] [0, 8)
}
