// Specimens: names and shapes of published configurations, by the classes of other projects. .ci/interop/identity.py
// writes them.

package identity_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/identity"
)

// A specimen is a model without data, and what it is: kind, family and versions.
type specimen struct {
	name, want, config string
	tensors            []safetensors.TensorInfo
}

// model returns the specimen with another beginning of its names.
func (s *specimen) model(prefix string) *model.Model {
	h := &safetensors.Header{}
	for _, ti := range s.tensors {
		ti.Name = prefix + ti.Name
		h.Tensors = append(h.Tensors, ti)
	}
	m := &model.Model{Files: []model.File{{Header: h}}}
	if s.config != "" {
		m.Config = []byte(s.config)
	}
	return m
}

// readSpecimens reads all files of the folder testdata/specimens.
func readSpecimens(t *testing.T) (list []specimen) {
	t.Helper()
	files, err := filepath.Glob("testdata/specimens/*.txt")
	if err != nil || len(files) < 150 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(text), "\n\n")
		s := specimen{name: strings.TrimSuffix(filepath.Base(name), ".txt")}
		for line := range strings.Lines(head + "\n") {
			switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
			case "want":
				s.want = value
			case "config":
				s.config = value
			}
		}
		for line := range strings.Lines(body) {
			s.tensors = append(s.tensors, tensorsOf(t, strings.TrimSpace(line))...)
		}
		list = append(list, s)
	}
	return list
}

// tensorsOf returns the tensors of a line such as "blocks.{0-3,7}.weight [2, 3]".
func tensorsOf(t *testing.T, line string) (list []safetensors.TensorInfo) {
	t.Helper()
	name, dims, ok := strings.Cut(line, " [")
	if !ok {
		t.Fatalf("no shape in %q", line)
	}
	shape := []int64{}
	for _, d := range strings.Split(strings.TrimSuffix(dims, "]"), ",") {
		if d = strings.TrimSpace(d); d != "" {
			shape = append(shape, number(t, d))
		}
	}
	for _, n := range expand(t, name) {
		list = append(list, safetensors.TensorInfo{Name: n, Dtype: safetensors.F16, Shape: shape})
	}
	return list
}

// expand returns the names that a name with numbers in braces stands for.
func expand(t *testing.T, name string) []string {
	t.Helper()
	head, rest, ok := strings.Cut(name, "{")
	if !ok {
		return []string{name}
	}
	numbers, tail, _ := strings.Cut(rest, "}")
	var list []string
	for _, run := range strings.Split(numbers, ",") {
		low, high, several := strings.Cut(run, "-")
		if !several {
			high = low
		}
		for n := number(t, low); n <= number(t, high); n++ {
			for _, end := range expand(t, tail) {
				list = append(list, head+strconv.FormatInt(n, 10)+end)
			}
		}
	}
	return list
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// said returns what a model is, in the form of the specimens.
func said(id *identity.Identity) string {
	return strings.TrimSpace(fmt.Sprintf("%s | %s | %s", id.Kind, id.Family, id.Version()))
}

// Each specimen has exactly its own identity, and each shows why.
func TestSpecimens(t *testing.T) {
	for _, s := range readSpecimens(t) {
		id := identity.Of(s.model(""), nil)
		if got := said(id); got != s.want {
			t.Errorf("%s is %s, want %s", s.name, got, s.want)
		}
		if len(id.Evidence) == 0 || (id.Status == identity.Ambiguous) != (strings.Contains(s.want, " or ") && !strings.Contains(s.want, "ModelScope")) {
			t.Errorf("%s is %s with evidence %v", s.name, id.Status, id.Evidence)
		}
		if id.Status == identity.Ambiguous && id.Because == "" {
			t.Errorf("%s does not say why it is ambiguous", s.name)
		}
	}
}

// Names may have a prefix, which decides nothing.
func TestSpecimensBelowPrefixes(t *testing.T) {
	for i, s := range readSpecimens(t) {
		if s.config != "" || strings.HasPrefix(s.name, "single-") || strings.HasPrefix(s.name, "embedding") ||
			strings.HasPrefix(s.name, "lora-") {
			continue // known by a configuration, or by complete names
		}
		prefix := []string{"model.diffusion_model.", "_orig_mod.", "module.", "net."}[i%4]
		if got := said(identity.Of(s.model(prefix), nil)); got != s.want {
			t.Errorf("%s below %s is %s, want %s", s.name, prefix, got, s.want)
		}
	}
}

// Packed weights have other names and shapes. The family stays, and what shapes do not tell is ambiguous.
func TestPackedSpecimens(t *testing.T) {
	for _, s := range readSpecimens(t) {
		if !strings.HasPrefix(s.want, "diffusion model") || s.config != "" {
			continue
		}
		family := strings.Split(strings.TrimSuffix(s.want, " |"), " | ")[1]
		for kind, m := range map[string]*model.Model{"fp8": pack(&s, fp8), "nf4": pack(&s, nf4)} {
			id := identity.Of(m, nil)
			if kind == "fp8" && said(id) != s.want || id.Kind != identity.DiffusionModel || !strings.Contains(id.Family, family) {
				t.Errorf("%s in %s is %s, want %s", s.name, kind, said(id), s.want)
			}
		}
	}
}

// pack replaces the matrices of a specimen.
func pack(s *specimen, form func(safetensors.TensorInfo) []safetensors.TensorInfo) *model.Model {
	m := s.model("")
	h := m.Files[0].Header
	var list []safetensors.TensorInfo
	for _, ti := range h.Tensors {
		if len(ti.Shape) == 2 && strings.HasSuffix(ti.Name, ".weight") {
			list = append(list, form(ti)...)
		} else {
			list = append(list, ti)
		}
	}
	h.Tensors = list
	return m
}

// fp8 has a scale beside each weight, as ComfyUI writes it.
func fp8(ti safetensors.TensorInfo) []safetensors.TensorInfo {
	ti.Dtype = safetensors.F8_E4M3
	return []safetensors.TensorInfo{ti, {Name: strings.TrimSuffix(ti.Name, "weight") + "scale_weight", Dtype: safetensors.F32,
		Shape: []int64{}}}
}

// nf4 has two values in a byte, in one column, as bitsandbytes writes it.
func nf4(ti safetensors.TensorInfo) []safetensors.TensorInfo {
	n := ti.Shape[0] * ti.Shape[1]
	ti.Dtype, ti.Shape = safetensors.U8, []int64{n / 2, 1}
	return []safetensors.TensorInfo{ti, {Name: ti.Name + ".absmax", Dtype: safetensors.F32, Shape: []int64{n / 64}},
		{Name: ti.Name + ".quant_map", Dtype: safetensors.F32, Shape: []int64{16}},
		{Name: ti.Name + ".quant_state.bitsandbytes__nf4", Dtype: safetensors.U8, Shape: []int64{200}}}
}
