package dcp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/dcp"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// formats are the formats as a program lists them.
func formats(o dcp.Options) *checkpoint.Options {
	return &checkpoint.Options{Formats: []checkpoint.Format{dcp.Format(o), torch.PyTorch(o.Torch)}}
}

// describe returns the names, dtypes and shapes of the tensors of a target, or the error.
func describe(t *testing.T, from store.Store, path string, o dcp.Options) string {
	t.Helper()
	cp, err := checkpoint.New(t.Context(), from, path, formats(o))
	if err != nil {
		return err.Error()
	}
	defer cp.Close()
	var list []string
	for one, err := range cp.Tensors(t.Context()) {
		if err != nil {
			return err.Error()
		}
		b := make([]byte, one.Size())
		if _, err := io.ReadFull(io.NewSectionReader(one, 0, one.Size()), b); err != nil {
			return err.Error()
		}
		list = append(list, fmt.Sprint(one.Name, " ", one.Dtype, one.Shape))
	}
	return strings.Join(list, ", ")
}

// The checkpoint that testdata/torch/distributed.py wrote has counting numbers.
func TestRead(t *testing.T) {
	from := store.Dir("../../testdata/torch")
	model := "layers.0.weight F32[5 4], layers.1.weight BF16[3 6], norm.weight F32[4]"
	optimizer := "optimizer.state.norm.weight.exp_avg F32[4]"
	for _, test := range []struct {
		path string
		o    dcp.Options
		want string
	}{
		{"distributed", dcp.Options{}, model},
		{"distributed/.metadata", dcp.Options{}, model},
		{"distributed/__1_0.distcp", dcp.Options{}, model},
		{"distributed", dcp.Options{Optimizer: true}, strings.Replace(model, "norm", optimizer+", norm", 1)},
		{"distributed", dcp.Options{Torch: &torch.Options{Root: "optimizer"}}, "state.norm.weight.exp_avg F32[4]"},
		{"distributed", dcp.Options{Torch: &torch.Options{All: true}},
			"model.layers.0.weight F32[5 4], model.layers.1.weight BF16[3 6], " + optimizer + ", model.norm.weight F32[4]"},
	} {
		if got := describe(t, from, test.path, test.o); got != test.want {
			t.Errorf("%s: %s, want %s", test.path, got, test.want)
		}
	}
	cp, err := checkpoint.New(t.Context(), from, "distributed", formats(dcp.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	for one, err := range cp.Tensors(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, one.Size())
		if _, err := one.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		var want []byte
		for i := range one.NumElems() {
			if one.Dtype == "F32" {
				want = binary.LittleEndian.AppendUint32(want, floatBits(i))
			} else {
				want = binary.LittleEndian.AppendUint16(want, uint16(floatBits(i)>>16))
			}
		}
		if !slices.Equal(b, want) {
			t.Errorf("%s: %x", one.Name, b)
		}
	}
	about, err := cp.Describe(t.Context(), "distributed/.metadata")
	if err != nil || about.Variant != "pytorch-distcp" || !strings.Contains(strings.Join(about.Notes, "\n"),
		"distributed checkpoint of 2 files\nshows the tensors under \"model\"\nskips 1 tensor of optimizer state: ") {
		t.Error(about, err)
	}
	opened, err := cp.Opened(t.Context(), "distributed/.metadata")
	if err != nil {
		t.Fatal(err)
	}
	all := opened.(*dcp.Tensors)
	if got := fmt.Sprint(all.Files()); got != "[__0_0.distcp __1_0.distcp]" && got != "[__1_0.distcp __0_0.distcp]" {
		t.Error(got)
	}
	if s := all.Skipped(); len(s) != 2 || s[0].Path != "optimizer.state.norm.weight.exp_avg" || s[1].Path != "optimizer.lr" {
		t.Error(s)
	}
}

// onRead begins what is found when values are read.
const onRead = "read: "

// Damage of the folder that one can see without reading the values, and such that one sees only in the archives.
func TestDamage(t *testing.T) {
	whole := make(map[string]string)
	for _, name := range []string{".metadata", "__0_0.distcp", "__1_0.distcp"} {
		whole[name] = readFile(t, "../../testdata/torch/distributed/"+name)
	}
	meta := whole[".metadata"]
	// chunk is how the metadata has a chunk at (3, 0) with 2 rows of 4: two tuples of small ints.
	replace := func(old, new string) map[string]string {
		if strings.Count(meta, old) < 1 || len(old) != len(new) {
			t.Fatalf("%q is in the metadata %d times", old, strings.Count(meta, old))
		}
		return map[string]string{".metadata": strings.ReplaceAll(meta, old, new)}
	}
	for _, test := range []struct {
		name    string
		changed map[string]string // "" removes a file
		want    string
	}{
		{"whole", nil, ""},
		{"a missing file", map[string]string{"__0_0.distcp": ""}, `"__0_0.distcp" is missing, and with it`},
		{"two missing files", map[string]string{"__0_0.distcp": "", "__1_0.distcp": ""}, `"__1_0.distcp" is missing, and with it`},
		{"a truncated file", map[string]string{"__1_0.distcp": whole["__1_0.distcp"][:6000]},
			`"__1_0.distcp" is truncated: it has 6,000 bytes, but the metadata refers to 7569`},
		{"no metadata", map[string]string{".metadata": ""}, "its folder lacks the file .metadata, which has the names and shapes"},
		{"a gap", replace("K\x03K\x00\x86", "K\x04K\x00\x86"), `"model.layers.0.weight"`},
		{"a name that leads out", replace("__0_0.distcp", "../x0.distcp"), `"../x0.distcp", which is not a .distcp file in its folder`},
		{"a private file", replace("__0_0.distcp", "password.txt"), `"password.txt", which is not a .distcp file in its folder`},
		{"another dtype", replace("torch\x94\x8c\x07float32", "torch\x94\x8c\x07float16"), onRead + `it is F32[3 4], but the metadata says F16[3 4]`},
		{"other bytes", map[string]string{"__0_0.distcp": strings.Repeat("x", 4731)}, onRead + "it cannot be read"},
	} {
		files := make(fstest.MapFS)
		for name, text := range whole {
			if changed, ok := test.changed[name]; ok {
				text = changed
			}
			if text != "" {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		cp, err := checkpoint.New(t.Context(), store.FS(files), "", formats(dcp.Options{}))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var found []string
		for r, err := range cp.Validate(t.Context()) {
			if err != nil {
				found = append(found, err.Error())
				continue
			}
			for _, v := range r.Violations {
				if v.Rule != checkpoint.RuleWeightsFormat {
					found = append(found, v.Detail)
				}
			}
		}
		want, later := strings.CutPrefix(test.want, onRead)
		if got := strings.Join(found, "; "); !later && !strings.Contains(got, want) || (got == "") != (want == "" || later) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if err := cp.Close(); err != nil {
			t.Error(err)
		}
		read := describe(t, store.FS(files), "", dcp.Options{})
		if later && !strings.Contains(read, want) || strings.Contains(read, "\n") || (test.want == "") != strings.HasPrefix(read, "layers.0.weight F32") {
			t.Errorf("%s: %s", test.name, read)
		}
	}
}

// A pickle of another kind with the name of the metadata is another format.
func TestOtherPickle(t *testing.T) {
	files := fstest.MapFS{".metadata": {Data: []byte("\x80\x02}.")}, "__0_0.distcp": {Data: []byte("PK\x03\x04")}}
	cp, err := checkpoint.New(t.Context(), store.FS(files), ".metadata", formats(dcp.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	_, err = cp.Header(t.Context(), ".metadata")
	if err == nil || errors.Is(err, checkpoint.RuleFormatDamaged) {
		t.Error(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// floatBits are the bits of an integer as a float32.
func floatBits(n int64) uint32 { return math.Float32bits(float32(n)) }
