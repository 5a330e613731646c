// Casts: what becomes of numbers, and what is said to be lost.

package edit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// of returns a tensor of numbers as its dtype has them.
func of[T safetensors.Element](t testing.TB, name string, data ...T) *safetensors.Tensor {
	t.Helper()
	made, err := safetensors.NewTensor(name, data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Each case says how many elements are rounded, become zero, and are out of range. The
// dtypes' limits are those of the specifications: see docs/format.md.
func TestLosses(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		name     string
		to       safetensors.Dtype
		saturate bool
		was      *safetensors.Tensor
		want     edit.Losses
	}{
		// 1/3 and 1+2^-8 take more than eight bits of significand; 1.5 and -0 do not.
		{"F32 to BF16", "BF16", false, of(t, "t", float32(1.5), float32(1)/3, 1+1.0/256, float32(math.Copysign(0, -1))), edit.Losses{Rounded: 2}},
		// 65504 is the largest F16; 65519 is nearer to it than to 65536, and beyond it all
		// the same. The least is 2^-24, to half of which is rounded to even, to 0.
		{"F32 to F16", "F16", false, of(t, "t", float32(65504), 65519, 65520, -1e30, 0x1p-24, 0x1p-25, 1e-30), edit.Losses{Zeroed: 2, OutOfRange: 3}},
		{"F32 to F16, saturated", "F16", true, of(t, "t", float32(65504), 65519, 65520, -1e30, float32(inf)), edit.Losses{OutOfRange: 4}},
		{"what is not finite stays so", "F16", false, of(t, "t", inf, -inf, nan), edit.Losses{}},
		{"F64 to F32", "F32", false, of(t, "t", 0.5, 0.1, 1e39, 1e-50), edit.Losses{Rounded: 1, Zeroed: 1, OutOfRange: 1}},
		// F8_E4M3 has no infinity, and ends at 448.
		{"F32 to F8_E4M3", "F8_E4M3", false, of(t, "t", float32(448), 449, float32(inf), float32(nan), 17), edit.Losses{Rounded: 1, OutOfRange: 2}},
		// F4 has 0, 0.5, 1, 1.5, 2, 3, 4 and 6.
		{"F32 to F4", "F4", false, of(t, "t", float32(6), 7, 100, -100, 5, 0.1), edit.Losses{Rounded: 1, Zeroed: 1, OutOfRange: 3}},
		// F8_E8M0 has powers of two, and neither zero nor a sign.
		{"F32 to F8_E8M0", "F8_E8M0", false, of(t, "t", float32(2), 3, 0, -1), edit.Losses{Rounded: 1, OutOfRange: 2}},
		{"F32 to I8", "I8", true, of(t, "t", float32(127), 128, -129, 1.5, 0.25), edit.Losses{Rounded: 1, Zeroed: 1, OutOfRange: 2}},
		// 2^53 + 1 is the first integer that an F64 does not hold.
		{"I64 to F64", "F64", false, of(t, "t", int64(1)<<53, 1<<53+1, -1<<53-1, math.MaxInt64, math.MinInt64), edit.Losses{Rounded: 3}},
		{"U64 to F64", "F64", false, of(t, "t", uint64(1)<<63, 1<<63+1, math.MaxUint64, 1<<53), edit.Losses{Rounded: 2}},
		{"I64 to U64", "U64", false, of(t, "t", int64(1)<<53+1, math.MaxInt64), edit.Losses{}},
		{"I32 to F16", "F16", false, of(t, "t", int32(2048), 2049, 1<<20), edit.Losses{Rounded: 1, OutOfRange: 1}},
		{"U8 to BOOL", "BOOL", false, of(t, "t", uint8(0), 1, 2), edit.Losses{OutOfRange: 1}},
		{"BOOL to F32", "F32", false, of(t, "t", true, false), edit.Losses{}},
	} {
		src := write(t, safetensors.Encoder{}, test.was)
		e := &edit.Edit{Cast: []edit.Cast{{From: test.was.Dtype, To: test.to}}, Saturate: test.saturate}
		r, err := e.InPlace(t.Context(), src)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := r.Tensors[0].Losses; got != test.want || r.Tensors[0].Payload != edit.Converted {
			t.Errorf("%s: %s, losses %+v, want %+v", test.name, r.Tensors[0].Payload, got, test.want)
		}
	}
}

// What is cast and what is not, if nobody says of which dtype.
func TestCastIsOfFloats(t *testing.T) {
	wide := map[safetensors.Dtype]bool{"F64": true, "F32": true, "F16": true, "BF16": true}
	var tensors []*safetensors.Tensor
	for d := range safetensors.Dtypes() {
		tensors = append(tensors, tensor(string(d), d, make([]byte, 24)))
	}
	src := write(t, safetensors.Encoder{}, tensors...)
	r := inPlace(t, &edit.Edit{Cast: []edit.Cast{{To: "BF16"}, {From: "I64", To: "I32"}}}, src)
	p := parse(t, src)
	for _, row := range r.Tensors {
		want := string(row.Was.Dtype)
		if wide[row.Was.Dtype] {
			want = "BF16"
		} else if want == "I64" {
			want = "I32"
		}
		if got := p.entries[row.Was.Name].Dtype; got != want {
			t.Errorf("%s became %s, want %s", row.Was.Name, got, want)
		}
	}
}

// A cast of a dtype that is named goes before one of all.
func TestCastsOfNamedDtypes(t *testing.T) {
	for _, casts := range [][]edit.Cast{{{To: "BF16"}, {From: "F64", To: "F32"}}, {{From: "F64", To: "F32"}, {To: "BF16"}}} {
		src := write(t, safetensors.Encoder{}, of(t, "a", 1.0), of(t, "b", float32(1)), of(t, "kept", float32(1)))
		inPlace(t, &edit.Edit{Cast: casts, CastKeep: []edit.Pattern{exact("kept")}}, src)
		p := parse(t, src)
		if got := p.entries["a"].Dtype + p.entries["b"].Dtype + p.entries["kept"].Dtype; got != "F32BF16F32" {
			t.Errorf("the dtypes are %s", got)
		}
	}
}

// The bytes of a cast, by hand: BF16 is the upper half of an F32, rounded to even.
func TestCastBytes(t *testing.T) {
	src := write(t, safetensors.Encoder{}, of(t, "t", math.Float32frombits(0x3f808000), math.Float32frombits(0x3f818000), float32(-2)))
	inPlace(t, &edit.Edit{Cast: []edit.Cast{{To: "BF16"}}}, src)
	var want []byte
	for _, bits := range []uint16{0x3f80, 0x3f82, 0xc000} {
		want = binary.LittleEndian.AppendUint16(want, bits)
	}
	if got := parse(t, src).entries["t"].data; !bytes.Equal(got, want) {
		t.Errorf("the bytes are %x, want %x", got, want)
	}
}

// An element that cannot be cast ends the edit, and leaves all as it was.
func TestCastThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		to    safetensors.Dtype
		words string
	}{{"F4", "element 2 is NaN, which F4 cannot hold"}, {"I8", "element 1 is 300, which I8 cannot hold"}} {
		src := write(t, safetensors.Encoder{}, of(t, "t", float32(1), 300, float32(math.NaN()), 0))
		before := parse(t, src)
		_, err := (&edit.Edit{Cast: []edit.Cast{{To: test.to}}}).InPlace(t.Context(), src)
		if !errors.Is(err, edit.ErrRefused) || !strings.Contains(err.Error(), test.words) {
			t.Errorf("to %s: %v", test.to, err)
		}
		if after := parse(t, src); after.text != before.text {
			t.Errorf("to %s: the file is %q", test.to, after.text)
		}
		onlyHas(t, filepath.Dir(src), "model.safetensors")
	}
}

// A tensor of many buffers, of which losses are counted in each.
func TestLossesOfLargeTensors(t *testing.T) {
	const n = 1 << 20
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i) // of which a BF16 holds those of eight bits, shifted
	}
	exact := 0
	for _, x := range data {
		if x == math.Float32frombits(math.Float32bits(x)&^0xffff) {
			exact++
		}
	}
	src := write(t, safetensors.Encoder{}, of(t, "t", data...))
	r := inPlace(t, &edit.Edit{Cast: []edit.Cast{{To: "BF16"}}}, src)
	if got := r.Tensors[0].Losses; got != (edit.Losses{Rounded: int64(n - exact)}) {
		t.Errorf("losses %+v, want %d", got, n-exact)
	}
}

func TestApplyReadsNothing(t *testing.T) {
	tensors := model()
	for _, one := range tensors {
		one.ReaderAt = unread{t}
	}
	e := &edit.Edit{Drop: []edit.Pattern{exact("head")}, Rename: []edit.Rename{rename(t, "^h=>x")}, Cast: []edit.Cast{{To: "F16"}}}
	changes, err := e.Apply(tensors)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		if c.Now == nil {
			got = append(got, c.Was.Name+" dropped")
			continue
		}
		got = append(got, fmt.Sprintf("%s=%s %s", c.Was.Name, c.Now.Name, c.Now.Dtype))
	}
	want := []string{"h.0.norm=x.0.norm F16", "h.0.mlp=x.0.mlp F16", "h.1.norm=x.1.norm F16", "head dropped", "ids=ids I64", "mask=mask BOOL"}
	if !slices.Equal(got, want) {
		t.Errorf("it makes %q, want %q", got, want)
	}
	if _, err := e.Apply(append(tensors, tensors[0])); !errors.Is(err, edit.ErrRefused) {
		t.Errorf("two tensors of one name: %v", err)
	}
}

// unread is a source that nobody may read.
type unread struct{ t *testing.T }

func (u unread) ReadAt(b []byte, off int64) (int, error) {
	u.t.Error("a source was read")
	return 0, os.ErrInvalid
}
