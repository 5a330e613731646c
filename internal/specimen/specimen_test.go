package specimen

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	got := Names("h.{0-1,4}.{q,k-v}.w")
	want := []string{"h.0.q.w", "h.0.k-v.w", "h.1.q.w", "h.1.k-v.w", "h.4.q.w", "h.4.k-v.w"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWrite(t *testing.T) {
	s, err := Parse("x", "source: a\n-- m.safetensors | weights max=40 first=0 digits=2 --\nF32 3x2 a.{0-2}\nBF16 - b\n-- c/config.json --\n{}\n")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"m-00-of-03.safetensors": 24, "m-01-of-03.safetensors": 24, "m-02-of-03.safetensors": 26} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		n := int64(binary.LittleEndian.Uint64(b))
		if !json.Valid(b[8:8+n]) || int64(len(b))-8-n != want {
			t.Errorf("%s: %d bytes of data, header %s", name, int64(len(b))-8-n, b[8:8+n])
		}
	}
	var index struct {
		Metadata struct {
			TotalSize int64 `json:"total_size"`
		}
		WeightMap map[string]string `json:"weight_map"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "m.safetensors.index.json"))
	if err != nil || json.Unmarshal(b, &index) != nil || index.Metadata.TotalSize != 74 || index.WeightMap["b"] != "m-02-of-03.safetensors" {
		t.Errorf("%v, index %s", err, b)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "c/config.json")); err != nil || string(b) != "{}\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestBroken(t *testing.T) {
	for _, text := range []string{"no fact\n", "-- a | weights --\nBF17 1 a\n", "-- a | weights --\nF32 1y a\n", "-- a | weights wide=1 --\n", "-- a | other --\n"} {
		s, err := Parse("x", text)
		if err == nil {
			err = s.Write(t.TempDir())
		}
		if err == nil {
			t.Errorf("%q has no error", text)
		}
	}
}
