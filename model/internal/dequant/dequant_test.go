package dequant_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/model/internal/dequant"
	"github.com/weightools/safetensors/model/internal/scheme"
)

// A vector is a packed weight with its values, from the program that defines the scheme. Its origin is
// .ci/interop/unpack_vectors.py.
type vector struct {
	Name   string
	Config json.RawMessage
	Shape  []int64
	SHA256 string
	File   []byte
}

func vectors(t testing.TB) (all []vector) {
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// values returns the values of the one module of a file.
func values(file *safetensors.File, configuration []byte) (*dequant.Matrix, error) {
	var module scheme.Module
	var tensors [parts.Count]*safetensors.Tensor
	module.Texts = make(map[*scheme.Tensor][]byte)
	for t := range file.Tensors() {
		name, role := parts.Split(t.Name)
		part := &scheme.Tensor{Info: &t.TensorInfo, Kinds: parts.KindOf(t.Dtype)}
		module.Name, tensors[role] = name, t
		module.Set(role, part)
		if role == parts.ShapeOf || role == parts.QuantState {
			module.Texts[part], _ = t.Bytes()
		}
	}
	c := scheme.Context{
		Config:   config.New(config.Files{Main: config.Parse("config.json", configuration)}, new(config.Notes)),
		Metadata: func(int32) map[string]string { return file.Header.Metadata },
	}
	s, v := module.Match(&c)
	if s == nil {
		return nil, errors.New("no scheme")
	}
	return dequant.Of(&module, s, v, &c, tensors)
}

func open(t testing.TB, data []byte) *safetensors.File {
	f, err := safetensors.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) < 20 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			m, err := values(open(t, v.File), v.Config)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Shape, v.Shape) {
				t.Fatalf("shape %v, not %v", m.Shape, v.Shape)
			}
			size := 4 * m.Rows * m.Cols
			r := m.Reader("weight")
			all := make([]byte, size)
			if n, err := r.ReadAt(all, 0); n != len(all) || err != nil && err != io.EOF {
				t.Fatal(n, err)
			}
			if sum := sha256.Sum256(oneNaN(all)); hex.EncodeToString(sum[:]) != v.SHA256 {
				t.Error("the values differ")
			}
			random := rand.New(rand.NewPCG(1, 2))
			for range 200 { // any part is that part of the whole
				from := random.Int64N(size)
				part := make([]byte, random.Int64N(size-from+1))
				if n, err := r.ReadAt(part, from); n != len(part) || err != nil && err != io.EOF {
					t.Fatal(n, err)
				}
				if !bytes.Equal(part, all[from:from+int64(len(part))]) {
					t.Fatalf("%d bytes at %d differ", len(part), from)
				}
			}
		})
	}
}

// oneNaN returns floats with one NaN instead of all.
func oneNaN(b []byte) []byte {
	b = slices.Clone(b)
	for i := 0; i < len(b); i += 4 {
		if x := math.Float32frombits(binary.LittleEndian.Uint32(b[i:])); x != x {
			binary.LittleEndian.PutUint32(b[i:], 0x7fc00000)
		}
	}
	return b
}

// patched returns the tensors of a vector, changed by a function.
func patched(t *testing.T, name string, change func(map[string]*safetensors.Tensor)) (*safetensors.File, []byte) {
	for _, v := range vectors(t) {
		if v.Name != name {
			continue
		}
		tensors := make(map[string]*safetensors.Tensor)
		f := open(t, v.File)
		for one := range f.Tensors() {
			tensors[parts.Last(one.Name)] = one
		}
		change(tensors)
		var list []*safetensors.Tensor
		for _, one := range tensors {
			list = append(list, one)
		}
		var b bytes.Buffer
		e := safetensors.Encoder{Metadata: f.Header.Metadata}
		if err := e.Encode(&b, list...); err != nil {
			t.Fatal(err)
		}
		return open(t, b.Bytes()), v.Config
	}
	t.Fatalf("no vector %q", name)
	return nil, nil
}

func tensor[T safetensors.Element](t *testing.T, old *safetensors.Tensor, data []T, shape ...int64,
) *safetensors.Tensor {
	made, err := safetensors.NewTensor(old.Name, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestUnfit changes one part of a weight so that it is no longer one. Most of it the scheme finds; what it does not,
// decoders do.
func TestUnfit(t *testing.T) {
	for _, c := range []struct {
		name, vector string
		change       func(map[string]*safetensors.Tensor)
	}{
		{"no zero points", "gptq 4", func(m map[string]*safetensors.Tensor) { delete(m, "qzeros") }},
		{"no quant_state", "bitsandbytes nf4 64 True torch.uint8",
			func(m map[string]*safetensors.Tensor) { delete(m, "bitsandbytes__nf4") }},
		{"short map", "bitsandbytes nf4 64 True torch.uint8", func(m map[string]*safetensors.Tensor) {
			m["quant_map"] = tensor(t, m["quant_map"], make([]float32, 15), 15)
		}},
		{"few scales", "compressed_tensors 4 bits 32 False", func(m map[string]*safetensors.Tensor) {
			m["weight_scale"] = tensor(t, m["weight_scale"], make([]float32, 8), 8, 1)
		}},
		{"other shape", "compressed_tensors 4 bits 32 False", func(m map[string]*safetensors.Tensor) {
			m["weight_shape"] = tensor(t, m["weight_shape"], []int64{64, 16}, 2)
		}},
		{"no biases", "mlx affine 4 64 True", func(m map[string]*safetensors.Tensor) { delete(m, "biases") }},
		{"other shape", "hqq 4 16 1 False", func(m map[string]*safetensors.Tensor) {
			m["shape"] = tensor(t, m["shape"], []int64{64, 64}, 2)
		}},
		{"more zero points", "hqq 4 16 1 False", func(m map[string]*safetensors.Tensor) {
			m["zero"] = tensor(t, m["zero"], make([]float32, 3), 3, 1)
		}},
	} {
		f, configuration := patched(t, c.vector, c.change)
		if m, err := values(f, configuration); err == nil {
			t.Errorf("%s: %s: unpacked to %v", c.vector, c.name, m.Shape)
		}
	}
}

// TestGroups reads a weight whose act-order is out of range, and one that has none after all.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		group int32
		want  string
	}{{7, "group 7"}, {-2, "group -2"}, {math.MaxInt32, "group 2147483647"}} {
		f, configuration := patched(t, "gptq_v2 4", func(m map[string]*safetensors.Tensor) {
			index, err := safetensors.Read[int32](m["g_idx"])
			if err != nil {
				t.Fatal(err)
			}
			index = slices.Clone(index)
			index[5] = c.group
			m["g_idx"] = tensor(t, m["g_idx"], index, int64(len(index)))
		})
		m, err := values(f, configuration)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Reader("w").ReadAt(make([]byte, 4*64), 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("group %d: %v", c.group, err)
		}
		if _, err := m.Reader("w").ReadAt(make([]byte, 16), 0); err != nil {
			t.Errorf("the columns before it: %v", err)
		}
	}
}

// TestUnknown has configurations with formats that are not those of the words: their weights stay packed.
func TestUnknown(t *testing.T) {
	for vector, configs := range map[string][]string{
		"gptq 4": {
			`{"quant_method":"gptq","bits":4,"checkpoint_format":"gptq_p"}`,
			`{"quant_method":"gptq","checkpoint_format":"marlin"}`,
			`{"quant_method":"auto-round","packing_format":"auto_round:new"}`, `{}`,
		},
		"gptq 6": {`{"quant_method":"gptq","bits":6}`},
		"awq 4":  {`{"quant_method":"awq","bits":4,"version":"gemv"}`, `{"bits":4}`},
	} {
		for _, q := range configs {
			f, _ := patched(t, strings.Replace(vector, "6", "4", 1), func(m map[string]*safetensors.Tensor) {
				if vector == "gptq 6" {
					m["qweight"] = tensor(t, m["qweight"], make([]int32, 12*32), 12, 32)
					m["qzeros"] = tensor(t, m["qzeros"], make([]int32, 2*6), 2, 6)
				}
			})
			if _, err := values(f, []byte(`{"quantization_config":`+q+`}`)); !errors.Is(err, dequant.ErrUnknown) {
				t.Errorf("%s as %s: %v", vector, q, err)
			}
		}
	}
}

// FuzzOf unpacks modules whose headers and configurations are changed.
func FuzzOf(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.File, []byte(v.Config))
	}
	f.Fuzz(func(t *testing.T, data, configuration []byte) {
		file, err := safetensors.NewFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		m, err := values(file, configuration)
		if err != nil {
			return
		}
		size := 4 * m.Rows * m.Cols
		r, b := m.Reader("w"), make([]byte, 1000)
		for _, at := range []int64{0, size / 2, size - 3} {
			if n, err := r.ReadAt(b, max(at, 0)); err == nil && n != len(b) {
				t.Errorf("%d bytes at %d without an error", n, at)
			}
		}
	})
}
