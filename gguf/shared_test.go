package gguf_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

const shared = "../../shared/gguf"

// judged are the rules of this package by their names in the manifest of the cases. Cases of other rules are about what
// a model needs, its tokenizer, templates, and sets of files.
var judged = map[string][]safetensors.Rule{
	"magic": {gguf.RuleMagic}, "version": {gguf.RuleVersion}, "counts": {gguf.RuleCounts},
	"truncated": {gguf.RuleTruncated, gguf.RuleUnpadded}, "string-length": {gguf.RuleStringLength},
	"key-name": {gguf.RuleKeyName, gguf.RuleKeyText}, "duplicate-key": {gguf.RuleDuplicateKey},
	"value-type":   {gguf.RuleValueType},
	"nested-array": {gguf.RuleNestedArray}, "nesting": {gguf.RuleNesting}, "array-length": {gguf.RuleArrayLength},
	"bool": {gguf.RuleBool}, "utf8": {gguf.RuleUTF8}, "alignment": {gguf.RuleAlignment, gguf.RuleOddAlignment},
	"tensor-name": {gguf.RuleTensorName, gguf.RuleOddName}, "duplicate-tensor": {gguf.RuleDuplicate},
	"rank": {gguf.RuleRank}, "shape": {gguf.RuleShape}, "tensor-type": {gguf.RuleTensorType}, "block": {gguf.RuleBlock},
	"offset": {gguf.RuleOffset}, "overlap": {gguf.RuleOverlap}, "order": {gguf.RuleOrder}, "hole": {gguf.RuleHole},
	"padding": {gguf.RulePadding}, "trailing": {gguf.RuleTrailing},
	"architecture": {gguf.RuleArchitecture, gguf.RuleArchKind}, "file-type": {gguf.RuleFileType},
	"quantization-version": {gguf.RuleQuantVersion}, "tokenizer": {gguf.RuleTokenizer, gguf.RuleOddTokenizer},
	"architecture-keys": {gguf.RuleModelKey, gguf.RuleModelKeyKind}, "architecture-tensors": {gguf.RuleModelTensor},
	"split": {gguf.RuleSplit, gguf.RuleOddSplit, checkpoint.RuleShardMissing, checkpoint.RuleTensorConflict},
}

func TestCases(t *testing.T) {
	f, err := os.Open(filepath.Join(shared, "cases/manifest.csv"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		id, file, expected, rule := row[0], row[1], row[2], row[3]
		judge := judgeFile
		if rule == "split" {
			judge = judgeSet
		}
		report, err := judge(t, filepath.Join(shared, "cases", file))
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		verdict := verdictOf(report)
		rules, ours := judged[rule]
		if id == "ok-big-endian-q8_0" {
			expected, rules, ours = "warning", []safetensors.Rule{gguf.RuleQuantVersion}, true // the key is missing
		}
		if id == "template-tokenizer-json" {
			rules, ours = []safetensors.Rule{gguf.RuleOddTokenizer}, true
		}
		if rule != "" && !ours {
			expected = "ok"
		}
		if verdict != expected {
			t.Errorf("%s: %s, want %s %s; %v", id, verdict, expected, rule, texts(report))
		}
		if ours && !has(report, rules) {
			t.Errorf("%s: want %v, found %v", id, rules, texts(report))
		}
	}
}

func judgeFile(t *testing.T, file string) (*gguf.Report, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return gguf.Validate(bytes.NewReader(b), int64(len(b)))
}

// judgeSet judges a file, with the other parts of its model.
func judgeSet(t *testing.T, file string) (*gguf.Report, error) {
	cp, err := checkpoint.Open(t.Context(), file, &checkpoint.Options{Formats: []checkpoint.Format{gguf.Format(nil)}})
	if err != nil {
		return nil, err
	}
	defer cp.Close()
	all := new(gguf.Report)
	for r, err := range cp.Validate(t.Context()) {
		if err != nil {
			return nil, err
		}
		all.Violations = append(all.Violations, r.Violations...)
	}
	return all, nil
}

func verdictOf(r *gguf.Report) string {
	verdict := "ok"
	for _, v := range r.Violations {
		switch {
		case v.Severity == safetensors.Invalid, v.Severity == safetensors.Nonconforming:
			return "invalid"
		case v.Severity >= safetensors.Warning: // an error is about a valid file that no program loads
			verdict = "warning"
		}
	}
	return verdict
}

func has(r *gguf.Report, rules []safetensors.Rule) bool {
	for _, v := range r.Violations {
		for _, rule := range rules {
			if v.Rule == rule {
				return true
			}
		}
	}
	return false
}

func texts(r *gguf.Report) (list []string) {
	for _, v := range r.Violations {
		list = append(list, v.Error())
	}
	return list
}

// The expected values were made by ggml and by the Python package gguf.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(shared, "vectors/vectors.json"))
	if err != nil {
		t.Skip(err)
	}
	var vectors struct {
		Types []struct {
			Type, File, Expected string
			Tensors              []struct {
				Name      string
				Elements  int
				F32Offset int64 `json:"f32_offset"`
			}
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors.Types {
		t.Run(v.Type, func(t *testing.T) {
			expected, err := os.ReadFile(filepath.Join(shared, "vectors", v.Expected))
			if err != nil {
				t.Fatal(err)
			}
			f := openFile(t, filepath.Join(shared, "vectors", v.File))
			for i, tensor := range v.Tensors {
				got := floats(t, f, &f.Tensors[i])
				if f.Tensors[i].Name != tensor.Name || len(got) != tensor.Elements {
					t.Fatalf("tensor %d is %s with %d elements", i, f.Tensors[i].Name, len(got))
				}
				for k, x := range got {
					want := math.Float32frombits(binary.LittleEndian.Uint32(expected[tensor.F32Offset+4*int64(k):]))
					if math.Float32bits(x) != math.Float32bits(want) && !(x != x && want != want) {
						t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", tensor.Name, k, x, math.Float32bits(x),
							want, math.Float32bits(want))
					}
				}
			}
		})
	}
}

func openFile(t *testing.T, name string) *gguf.File {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func floats(t *testing.T, f *gguf.File, info *gguf.TensorInfo) []float32 {
	t.Helper()
	tensor, err := f.Tensor(info)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float32, tensor.NumElems())
	if _, err := safetensors.DecodeAt(tensor, dst, 0); err != nil {
		t.Fatal(err)
	}
	return dst
}
