// GGUF as a format of checkpoints, on files of the Python package gguf.

package gguf_test

import (
	"bufio"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/gguf"
)

// The values that the package decodes, of a model in one file and in two parts.
func TestFormatReadsValues(t *testing.T) {
	for _, ref := range []string{"../testdata/gguf/tiny-Q8_0.gguf", "../testdata/gguf/split"} {
		cp, err := checkpoint.Open(t.Context(), ref, &checkpoint.Options{Formats: []checkpoint.Format{gguf.Format(nil)}})
		if err != nil {
			t.Fatal(err)
		}
		defer cp.Close()
		file, err := os.Open("../testdata/gguf/values.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		n := 0
		for lines := bufio.NewScanner(file); lines.Scan(); n++ {
			fields := strings.Fields(lines.Text())
			tensor, err := cp.Tensor(t.Context(), fields[0])
			if err != nil {
				t.Fatal(err)
			}
			values, err := tensor.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range fields[1:] {
				if want, _ := strconv.ParseFloat(text, 64); float32At(values, i) != float32(want) {
					t.Errorf("%s: %s[%d] is %v, and the package has %s", ref, fields[0], i, float32At(values, i), text)
				}
			}
		}
		if n != 11 {
			t.Errorf("%d tensors were compared, not 11", n)
		}
		for r, err := range cp.Validate(t.Context()) {
			if err != nil || len(r.Violations) > 0 {
				t.Errorf("%s: %v %v", ref, r.Violations, err)
			}
		}
	}
}

func float32At(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// What a file stores, and not what it decodes to.
func TestStored(t *testing.T) {
	const ref = "../testdata/gguf/tiny-Q8_0.gguf"
	cp, err := checkpoint.Open(t.Context(), ref, &checkpoint.Options{Formats: []checkpoint.Format{gguf.Format(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	h, err := cp.Stored(t.Context(), cp.Shards()[0])
	if err != nil {
		t.Fatal(err)
	}
	ti := h.Lookup("token_embd.weight")
	if ti == nil || ti.Dtype != "Q8_0" || ti.Size() != 64*34 || ti.NumElems() != 64*32 {
		t.Errorf("the embedding is %+v", ti)
	}
	if got := h.Metadata["tokenizer.ggml.tokens"]; got != "[64 string]" {
		t.Errorf("the tokens are %q", got)
	}
}

// The parts of a model, with keys and names that agree, and others.
func TestParts(t *testing.T) {
	part := func(no, count, tensors int) []byte {
		b := newBuild().text("general.architecture", "llama")
		b.key("split.no", 2, b.order.AppendUint16(nil, uint16(no)))
		b.key("split.count", 2, b.order.AppendUint16(nil, uint16(count)))
		b.key("split.tensors.count", 5, b.u32(uint32(tensors)))
		return b.tensor("t"+strconv.Itoa(no), 0, make([]byte, 4), 1).bytes()
	}
	for _, test := range []struct {
		name  string
		files map[string][]byte
		want  safetensors.Rule
	}{
		{"whole", map[string][]byte{"m-00001-of-00002.gguf": part(0, 2, 2), "m-00002-of-00002.gguf": part(1, 2, 2)}, ""},
		{"number", map[string][]byte{"m-00001-of-00002.gguf": part(0, 2, 2), "m-00002-of-00002.gguf": part(2, 2, 2)},
			gguf.RuleSplit},
		{"count", map[string][]byte{"m-00001-of-00002.gguf": part(0, 3, 2), "m-00002-of-00002.gguf": part(1, 3, 2)},
			gguf.RuleSplit},
		{"tensors", map[string][]byte{"m-00001-of-00002.gguf": part(0, 2, 3), "m-00002-of-00002.gguf": part(1, 2, 3)},
			gguf.RuleSplit},
		{"missing", map[string][]byte{"m-00001-of-00002.gguf": part(0, 2, 2)}, checkpoint.RuleShardMissing},
		{"renamed", map[string][]byte{"m.gguf": part(0, 2, 2)}, gguf.RuleOddSplit},
		{"one", map[string][]byte{"m.gguf": part(0, 1, 1)}, ""},
	} {
		dir := t.TempDir()
		first := ""
		for name, b := range test.files {
			if first == "" || name < first {
				first = name
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, ref := range []string{dir, filepath.Join(dir, first)} {
			r, err := judgeSet(t, ref)
			if err != nil {
				t.Fatal(err)
			}
			if found := len(r.Violations) > 0; found != (test.want != "") || found && r.Violations[0].Rule != test.want {
				t.Errorf("%s: %s: want %q, found %v", test.name, ref, test.want, texts(r))
			}
		}
	}
}
