package fsdp_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/fsdp"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

const (
	first  = "model_world_size_2_rank_0.pt"
	second = "model_world_size_2_rank_1.pt"
)

// read returns the tensors of a target with their values, which have to be counting numbers, or the error.
func read(t *testing.T, from store.Store, path string) string {
	t.Helper()
	cp, err := checkpoint.New(t.Context(), from, path, &checkpoint.Options{Formats: []checkpoint.Format{
		fsdp.Format(fsdp.Options{}), torch.PyTorch(nil)}})
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
		var want []byte
		for i := range one.NumElems() {
			switch one.Dtype {
			case "F32":
				want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(i)))
			case "BF16":
				want = binary.LittleEndian.AppendUint16(want, uint16(math.Float32bits(float32(i))>>16))
			case "I64":
				want = binary.LittleEndian.AppendUint64(want, uint64(i))
			}
		}
		if !slices.Equal(b, want) {
			t.Errorf("%s: %x, want %x", one.Name, b, want)
		}
		list = append(list, fmt.Sprint(one.Name, " ", one.Dtype, one.Shape))
	}
	return strings.Join(list, ", ")
}

// The files that testdata/torch/distributed.py wrote have counting numbers.
func TestRead(t *testing.T) {
	const want = "layers.0.weight F32[5 4], layers.1.weight BF16[3 6], norm.weight F32[4], plain I64[3]"
	for _, path := range []string{"ranks", "ranks/" + first, "ranks/" + second} {
		if got := read(t, store.Dir("../../testdata/torch"), path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestDamage(t *testing.T) {
	file := func(name string) *fstest.MapFile {
		b, err := os.ReadFile("../../testdata/torch/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return &fstest.MapFile{Data: b}
	}
	one, two := file("ranks/"+first), file("ranks/"+second)
	for _, test := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"the first is missing", fstest.MapFS{second: two}, `the files of 1 of 2 processes are missing, the first "` + first},
		{"the second is missing", fstest.MapFS{first: one}, `the files of 1 of 2 processes are missing, the first "` + second},
		{"one twice", fstest.MapFS{first: one, second: one}, `"layers.0.weight": rank 0 has F32[3 4], and its part of the shape [5 4] is F32[5 4]`},
		{"exchanged", fstest.MapFS{first: two, second: one}, ""},
		{"truncated", fstest.MapFS{first: one, second: {Data: two.Data[:len(two.Data)-100]}}, second},
		{"no distributed tensors", fstest.MapFS{first: file("double.pt"), second: file("double.pt")}, "have no distributed tensors"},
		{"many processes", fstest.MapFS{"model_world_size_60000_rank_1.pt": two}, "the files of 59999 of 60000 processes are missing"},
	} {
		got := read(t, store.FS(test.files), "")
		if !strings.Contains(got, test.want) || strings.Contains(got, "\n") || test.want == "" && !strings.HasPrefix(got, "layers.0") {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
