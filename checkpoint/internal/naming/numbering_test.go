// Numbers in names: which names have them, and which are missing.

package naming

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNumbered(t *testing.T) {
	for _, test := range []struct {
		path   string
		want   string // "prefix number total suffix", or "" if there are no numbers
		number Number
	}{
		{"model-00001-of-00072.safetensors", "model- 72 -of-00072.safetensors", Number{1, 5}},
		{"model-00001-of-000163.safetensors", "model- 163 -of-000163.safetensors", Number{1, 5}},
		{"model_00001-of-00072.safetensors", "model_ 72 -of-00072.safetensors", Number{1, 5}},
		{"model-1-of-61.safetensors", "model- 61 -of-61.safetensors", Number{1, 1}},
		{"model-00000-of-00002.safetensors", "model- 2 -of-00002.safetensors", Number{0, 5}},
		{"a/b/diffusion_pytorch_model-00002-of-00003.safetensors", "a/b/diffusion_pytorch_model- 3 -of-00003.safetensors", Number{2, 5}},
		{"model-00001-of-00002.fp16.safetensors", "model- 2 -of-00002.fp16.safetensors", Number{1, 5}},
		{"model.fp16-00001-of-00002.safetensors", "model.fp16- 2 -of-00002.safetensors", Number{1, 5}},
		{"consolidated-00001-of-00005.safetensors", "consolidated- 5 -of-00005.safetensors", Number{1, 5}},
		{"best-of-breed-1-of-2.safetensors", "best-of-breed- 2 -of-2.safetensors", Number{1, 1}},

		{"model.safetensors", "", Number{}},
		{"00001-of-00002.safetensors", "", Number{}},
		{"model00001-of-00002.safetensors", "", Number{}},
		{"model-of-00002.safetensors", "", Number{}},
		{"model-00001-of-.safetensors", "", Number{}},
		{"model-00001-of-00002.bin", "model- 2 -of-00002.bin", Number{1, 5}},
		{"model-1-of-1234567890.safetensors", "", Number{}},
		{"model-1234567890-of-1.safetensors", "", Number{}},
		{"", "", Number{}},
	} {
		n, number, ok := Numbered(test.path)
		got := ""
		if ok {
			got = fmt.Sprintf("%s %d %s", n.Prefix, n.Total, n.Suffix)
			if n.Path(number) != test.path {
				t.Errorf("%s becomes %s", test.path, n.Path(number))
			}
		}
		if got != test.want || number != test.number {
			t.Errorf("%s: %q %v, want %q %v", test.path, got, number, test.want, test.number)
		}
	}
}

func TestGaps(t *testing.T) {
	for _, test := range []struct {
		there []int
		total int
		want  string
	}{
		{[]int{1, 2, 3}, 3, ""},
		{[]int{3, 1, 2}, 3, ""},
		{[]int{0, 1, 2}, 3, ""},    // from 0 to the total less 1
		{[]int{0, 1, 2, 3}, 3, ""}, // from 0 to the total
		{[]int{1}, 3, "2-3"},
		{[]int{2}, 3, "1-1 3-3"},
		{[]int{3}, 3, "1-2"},
		{[]int{1, 2, 5, 9}, 9, "3-4 6-8"},
		{[]int{0, 2}, 3, "1-1"},
		{[]int{0, 3}, 3, "1-2"},
		{[]int{0}, 1, ""},
		{[]int{1, 1, 2, 2}, 2, ""},
		{[]int{7}, 3, "1-3"}, // a number past the total is somebody else's problem
		{[]int{1}, 999_999_999, "2-999999999"},
		{[]int{0}, 0, ""},
	} {
		var there []Number
		for _, n := range test.there {
			there = append(there, Number{n, 5})
		}
		var got []string
		for _, g := range (Numbering{Total: test.total}).Gaps(there) {
			got = append(got, fmt.Sprintf("%d-%d", g.First.N, g.Last.N))
			if g.First.Width != 5 {
				t.Errorf("%v of %d: width %d", test.there, test.total, g.First.Width)
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%v of %d: missing %q, want %q", test.there, test.total, got, test.want)
		}
	}
}

func TestCompareShards(t *testing.T) {
	want := []string{
		"a.safetensors",
		"model-1-of-10.safetensors",
		"model-2-of-10.safetensors",
		"model-10-of-10.safetensors",
		"model-1-of-2.safetensors",
		"model.safetensors",
		"other/model-00001-of-00002.safetensors",
		"other/model-00002-of-00002.safetensors",
	}
	for range 20 {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if slices.SortFunc(got, CompareShards); !slices.Equal(got, want) {
			t.Fatalf("sorted %q, want %q", got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for path, want := range map[string]string{
		"model.safetensors":                              "model",
		"unet/model.fp16.safetensors":                    "model.fp16",
		"model.safetensors.index.fp16.json":              "model.fp16",
		"model.safetensors.index.json":                   "model",
		"model-00001-of-00002.safetensors":               "model",
		"model-00001-of-00002.fp16.safetensors":          "model.fp16",
		"x/consolidated_00001-of-00002.safetensors":      "consolidated",
		"adapter_model-00001-of-00002.safetensors":       "adapter_model",
		"diffusion_pytorch_model.fp16.safetensors":       "diffusion_pytorch_model.fp16",
		"model.fp16-00001-of-00002.safetensors":          "model.fp16",
		"Qwen2.5-7B-00001-of-00004.safetensors":          "Qwen2.5-7B",
		"diffusion_pytorch_model.safetensors.index.json": "diffusion_pytorch_model",
	} {
		if got := Stem(path); got != want {
			t.Errorf("the stem of %s is %q, want %q", path, got, want)
		}
	}
}
