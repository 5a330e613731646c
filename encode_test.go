// What files are made of tensors: byte for byte, and which are refused.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors"
)

// handMade returns a tensor of the given bytes, as a program would put it
// together that has them from elsewhere.
func handMade(name string, d safetensors.Dtype, b []byte, shape ...int64) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: name, Dtype: d, Shape: shape, Offsets: safetensors.Span{End: int64(len(b))}},
		ReaderAt:   bytes.NewReader(b),
	}
}

// encoded returns the file that e makes of tensors.
func encoded(t testing.TB, e safetensors.Encoder, tensors ...*safetensors.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Encode(&b, tensors...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tensorsOf returns the tensors of a file that is in memory, and its metadata.
func tensorsOf(t testing.TB, file []byte) ([]*safetensors.Tensor, map[string]string) {
	t.Helper()
	f, err := safetensors.NewFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(f.Tensors()), f.Header.Metadata
}

// TestEncodeAsTheReference has what the reference implementation wrote, or said,
// when it was given the same tensors.
func TestEncodeAsTheReference(t *testing.T) {
	type writerCase struct {
		Case    string
		Tensors []struct {
			Name  string
			Dtype safetensors.Dtype
			Shape []int64
			Data  string
		}
		Metadata map[string]string
		Expected struct{ Hex, Error string }
	}
	for _, c := range jsonLines[writerCase](t, "../shared/conformance/writer.jsonl") {
		t.Run(c.Case, func(t *testing.T) {
			var tensors []*safetensors.Tensor
			for _, one := range c.Tensors {
				b, err := hex.DecodeString(one.Data)
				if err != nil {
					t.Fatal(err)
				}
				tensors = append(tensors, handMade(one.Name, one.Dtype, b, one.Shape...))
			}
			var got bytes.Buffer
			err := (&safetensors.Encoder{Metadata: c.Metadata}).Encode(&got, tensors...)
			if c.Expected.Error != "" {
				if err == nil || got.Len() > 0 {
					t.Errorf("wrote %d bytes, %v; want an error, as the reference's %s", got.Len(), err, c.Expected.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := hex.DecodeString(c.Expected.Hex)
			if err != nil {
				t.Fatal(err)
			}
			// Of no tensors and an empty map the reference makes a file that
			// nobody can read. What it should have been is not in doubt.
			if report(t, want).Err() != nil {
				want = []byte("\x18\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{}}     `)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("wrote\n%q, want\n%q", got.Bytes(), want)
			}
		})
	}
}

// TestEncodeForeignFiles writes files of the reference implementation again.
func TestEncodeForeignFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tensors, metadata := tensorsOf(t, want)
		if strings.Contains(filepath.ToSlash(name), "/mlx/") || len(metadata) > 1 {
			continue // another writer, or an order of keys that is random
		}
		rand.Shuffle(len(tensors), func(i, j int) { tensors[i], tensors[j] = tensors[j], tensors[i] })
		if got := encoded(t, safetensors.Encoder{Metadata: metadata}, tensors...); !bytes.Equal(got, want) {
			t.Errorf("%s: written again, it is another file", name)
		}
		same++
	}
	if same < 8 {
		t.Errorf("compared %d files: where are they?", same)
	}
}

// TestEncodeFourTensors has figures that were worked out by hand for a course on
// the format.
func TestEncodeFourTensors(t *testing.T) {
	lmHead := handMade("lm_head.weight", safetensors.BF16, pattern(12), 3, 2)
	embed := handMade("embed.weight", safetensors.BF16, pattern(12), 2, 3)
	norm := handMade("norm.weight", safetensors.F32, pattern(16), 4)
	step := handMade("step", safetensors.I64, pattern(8))
	h, err := new(safetensors.Encoder).Plan(lmHead, embed, norm, step)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	var begins []int64
	for _, ti := range h.Tensors {
		order, begins = append(order, ti.Name), append(begins, ti.Offsets.Begin)
	}
	if want := []string{"step", "norm.weight", "embed.weight", "lm_head.weight"}; !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	if want := []int64{0, 8, 24, 36}; !slices.Equal(begins, want) {
		t.Errorf("at %d, want %d", begins, want)
	}
	file := encoded(t, safetensors.Encoder{}, lmHead, embed, norm, step)
	text := bytes.TrimRight(file[8:8+h.Size], " ")
	if len(text) != 260 || h.Size != 264 || len(file) != 8+264+8+16+12+12 {
		t.Errorf("text of %d bytes, N = %d, file of %d; want 260, 264, 320", len(text), h.Size, len(file))
	}
	// One tensor [2, 3] of F32: 8 + 72 + 24.
	file = encoded(t, safetensors.Encoder{}, handMade("embed.weight", safetensors.F32, pattern(24), 2, 3))
	if n := binary.LittleEndian.Uint64(file); n != 72 || len(file) != 104 {
		t.Errorf("N = %d, file of %d; want 72, 104", n, len(file))
	}
}

// canonicalOrder is the order of dtypes in files, as the reference's derive of
// Ord on its enum makes it.
const canonicalOrder = "U64 I64 F64 C64 F32 U32 I32 BF16 F16 U16 I16 F8_E5M2FNUZ F8_E4M3FNUZ F8_E8M0 F8_E4M3 F8_E5M2 I8 U8 F6_E3M2 F6_E2M3 F4 BOOL"

func TestEncodeOrdersByDtypeAndName(t *testing.T) {
	names := []string{"", "10", "2", "B", "a", "a.b", "a10", "a2", "b", "é", "\uffff", "😀"} // by bytes
	var tensors []*safetensors.Tensor
	var want []string
	for _, d := range strings.Fields(canonicalOrder) {
		for _, name := range names {
			dtype := safetensors.Dtype(d)
			// A NUL sorts before any byte, as the end of a name does.
			tensors = append(tensors, handMade(name+"\x00"+d, dtype, make([]byte, dtype.Bits()), 8))
			want = append(want, name+"\x00"+d)
		}
	}
	for range 10 {
		rand.Shuffle(len(tensors), func(i, j int) { tensors[i], tensors[j] = tensors[j], tensors[i] })
		given := slices.Clone(tensors)
		for keep, want := range map[bool][]string{false: want, true: namesOf(tensors)} {
			h, err := (&safetensors.Encoder{KeepOrder: keep}).Plan(tensors...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, ti := range h.Tensors {
				got = append(got, ti.Name)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("KeepOrder %v: order\n%q, want\n%q", keep, got, want)
			}
		}
		if !slices.Equal(tensors, given) {
			t.Fatal("the caller's slice was sorted")
		}
	}
}

func namesOf(tensors []*safetensors.Tensor) (names []string) {
	for _, t := range tensors {
		names = append(names, t.Name)
	}
	return names
}

func TestEncodeMetadata(t *testing.T) {
	a := handMade("a", safetensors.U8, []byte{7}, 1)
	const entry = `"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`
	for _, c := range []struct {
		metadata map[string]string
		want     string
	}{
		{nil, `{`},
		{map[string]string{}, `{"__metadata__":{},`},
		{map[string]string{"format": "pt"}, `{"__metadata__":{"format":"pt"},`},
		{map[string]string{"b": "2", "a": "1", "": "0", "B": "3"}, `{"__metadata__":{"":"0","B":"3","a":"1","b":"2"},`},
		{map[string]string{"k\n": "<\"\\/\x00\x1f\x7f\u2028é😀>"}, `{"__metadata__":{"k\n":"<\"\\/\u0000\u001f` + "\x7f\u2028é😀" + `>"},`},
	} {
		file := encoded(t, safetensors.Encoder{Metadata: c.metadata}, a)
		n := binary.LittleEndian.Uint64(file)
		if got := strings.TrimRight(string(file[8:8+n]), " "); got != c.want+entry {
			t.Errorf("header %s, want %s", got, c.want+entry)
		}
		if _, got := tensorsOf(t, file); !maps.Equal(got, c.metadata) || (got == nil) != (c.metadata == nil) {
			t.Errorf("metadata %q, read back %q", c.metadata, got)
		}
	}
}

func TestEncodeAligns(t *testing.T) {
	for length := range 8 {
		tensor := handMade(strings.Repeat("x", length), safetensors.U8, []byte{7}, 1)
		for _, align := range []int{1, 2, 4, 8, 16, 64, 512, 4096, 1 << 14} {
			file := encoded(t, safetensors.Encoder{Align: align}, tensor)
			n := int(binary.LittleEndian.Uint64(file))
			text := len(bytes.TrimRight(file[8:8+n], " "))
			if (8+n)%align != 0 || n-text >= align || len(file) != 8+n+1 {
				t.Errorf("align %d: N = %d for a text of %d", align, n, text)
			}
			if align >= 8 {
				if err := report(t, file).Err(); err != nil {
					t.Errorf("align %d: %v", align, err)
				}
			}
		}
		zero, eight := encoded(t, safetensors.Encoder{}, tensor), encoded(t, safetensors.Encoder{Align: 8}, tensor)
		if !bytes.Equal(zero, eight) {
			t.Error("0 does not mean 8")
		}
	}
	if h, err := (&safetensors.Encoder{Align: 1 << 20}).Plan(); err != nil || h.DataStart() != 1<<20 {
		t.Errorf("the largest alignment: %+v, %v", h, err)
	}
	for _, align := range []int{-8, -1, 3, 12, 1<<20 + 1, 1 << 21, math.MaxInt, math.MinInt} {
		var b bytes.Buffer
		err := (&safetensors.Encoder{Align: align}).Encode(&b)
		if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), fmt.Sprint(align)) {
			t.Errorf("align %d: %v", align, err)
		}
	}
}

// zeros is a source of any size.
type zeros struct{}

func (zeros) ReadAt(b []byte, off int64) (int, error) { clear(b); return len(b), nil }

// TestEncodeRefuses has tensors that make no file. Nothing of it is written.
func TestEncodeRefuses(t *testing.T) {
	type (
		tensor = safetensors.Tensor
		info   = safetensors.TensorInfo
		span   = safetensors.Span
	)
	ok := handMade("ok", safetensors.U8, []byte{1, 2}, 2)
	sized := func(name string, d safetensors.Dtype, size int64, shape ...int64) *tensor {
		return &tensor{info{Name: name, Dtype: d, Shape: shape, Offsets: span{End: size}}, zeros{}}
	}
	for _, c := range []struct {
		what     string
		metadata map[string]string
		tensor   *tensor
		rule     safetensors.Rule // "" for an error that is none
		words    string
	}{
		{"two of one name", nil, sized("ok", safetensors.F32, 4, 1), safetensors.RuleDuplicateName, `"ok"`},
		{"the reserved name", nil, sized("__metadata__", safetensors.U8, 1, 1), safetensors.RuleReservedName, "__metadata__"},
		{"a name that is not UTF-8", nil, sized("a\xff", safetensors.U8, 1, 1), safetensors.RuleUTF8, `"a\xff"`},
		{"a surrogate in a name", nil, sized("a\xed\xa0\x80", safetensors.U8, 1, 1), safetensors.RuleUTF8, `a\xed`},
		{"a key that is not UTF-8", map[string]string{"k\xff": ""}, sized("a", safetensors.U8, 1, 1), safetensors.RuleUTF8, `"k\xff"`},
		{"a value that is not UTF-8", map[string]string{"k": "\xc0\x80"}, sized("a", safetensors.U8, 1, 1), safetensors.RuleUTF8, `"k"`},
		{"no dtype", nil, sized("a", "", 1, 1), safetensors.RuleDtype, `"a"`},
		{"an unknown dtype", nil, sized("a", "F128", 16, 1), safetensors.RuleDtype, `F128`},
		{"a dtype in lower case", nil, sized("a", "f32", 4, 1), safetensors.RuleDtype, `f32`},
		{"too few bytes", nil, sized("a", safetensors.F32, 8, 3), safetensors.RuleTensorSize, "8 bytes, but F32 [3] takes 12"},
		{"too many bytes", nil, sized("a", safetensors.F32, 16, 3), safetensors.RuleTensorSize, "16 bytes, but F32 [3] takes 12"},
		{"a scalar without bytes", nil, sized("a", safetensors.F32, 0), safetensors.RuleTensorSize, "takes 4"},
		{"a source that is longer", nil, &tensor{info{Name: "a", Dtype: safetensors.U8, Shape: []int64{3}, Offsets: span{End: 3}}, strings.NewReader("1234")},
			safetensors.RuleTensorSize, "3 bytes, but its source has 4"},
		{"a source that is shorter", nil, &tensor{info{Name: "a", Dtype: safetensors.U8, Shape: []int64{3}, Offsets: span{End: 3}}, io.NewSectionReader(zeros{}, 0, 2)},
			safetensors.RuleTensorSize, "3 bytes, but its source has 2"},
		{"half a byte", nil, sized("a", safetensors.F4, 1, 3), safetensors.RuleWholeBytes, `"a"`},
		{"half a byte of six bits", nil, sized("a", safetensors.F6_E2M3, 1, 2), safetensors.RuleWholeBytes, `"a"`},
		{"a negative dimension", nil, sized("a", safetensors.U8, 1, -1), safetensors.RuleOverflow, "18446744073709551615"},
		{"too many elements", nil, sized("a", safetensors.U8, 1, 1<<40, 1<<40), safetensors.RuleOverflow, `"a"`},
		{"too many bits", nil, sized("a", safetensors.U64, 1, 1<<60), safetensors.RuleOverflow, `"a"`},
		{"an end before its beginning", nil, &tensor{info{Name: "a", Dtype: safetensors.U8, Shape: []int64{2}, Offsets: span{Begin: 4, End: 2}}, zeros{}},
			safetensors.RuleOffsets, "begins at 4, after its end at 2"},
		{"no source", nil, &tensor{TensorInfo: info{Name: "a", Dtype: safetensors.U8, Shape: []int64{2}, Offsets: span{End: 2}}}, "", `"a" has no ReaderAt`},
		{"no tensor", nil, nil, "", "tensor 1 of those to encode is nil"},
	} {
		for _, keep := range []bool{false, true} {
			e := safetensors.Encoder{Metadata: c.metadata, KeepOrder: keep}
			var b bytes.Buffer
			err := e.Encode(&b, ok, c.tensor)
			var v *safetensors.Violation
			switch {
			case err == nil || b.Len() > 0:
				t.Errorf("%s: wrote %d bytes, %v", c.what, b.Len(), err)
			case errors.As(err, &v) != (c.rule != "") || v != nil && v.Rule != c.rule:
				t.Errorf("%s: %v, want rule %q", c.what, err, c.rule)
			case !strings.Contains(err.Error(), c.words) || !utf8.ValidString(err.Error()) || strings.Contains(err.Error(), "\n"):
				t.Errorf("%s: %v: does not say %q, on one line", c.what, err, c.words)
			case v != nil && c.metadata == nil && v.Tensor != c.tensor.Name:
				t.Errorf("%s: names tensor %q", c.what, v.Tensor)
			}
			if _, planErr := e.Plan(ok, c.tensor); fmt.Sprint(planErr) != fmt.Sprint(err) {
				t.Errorf("%s: Plan says %v, and Encode %v", c.what, planErr, err)
			}
		}
	}
}

// TestEncodeRefusesMoreThanAFileHolds has tensors each of which is possible: it
// is their sum, or with the header the file, that no offset can reach.
func TestEncodeRefusesMoreThanAFileHolds(t *testing.T) {
	const most = 1<<61 - 1 // the most bytes of one tensor: as bits they fit 64 bits
	var tensors []*safetensors.Tensor
	for i := range 5 {
		tensors = append(tensors, &safetensors.Tensor{
			TensorInfo: safetensors.TensorInfo{Name: fmt.Sprint(i), Dtype: safetensors.U8, Shape: []int64{most}, Offsets: safetensors.Span{End: most}},
			ReaderAt:   zeros{},
		})
		h, err := new(safetensors.Encoder).Plan(tensors...)
		// Four times 2^61-1 is 4 below 2^63, and leaves no room for a header.
		if i < 3 && (err != nil || h.Tensors[i].Offsets.End != int64(i+1)*most) {
			t.Errorf("%d tensors: %v", i+1, err)
		}
		if i >= 3 && !errors.Is(err, safetensors.RuleOverflow) {
			t.Errorf("%d tensors: %v", i+1, err)
		}
	}
}

func TestEncodeRefusesALargeHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("takes memory for several headers of 100 MB")
	}
	tensor := handMade("a", safetensors.U8, []byte{7}, 1)
	// A text without padding, so that each byte of the value is one of it.
	empty := encoded(t, safetensors.Encoder{Metadata: map[string]string{"": ""}, Align: 1}, tensor)
	room := safetensors.MaxHeaderSize - int(binary.LittleEndian.Uint64(empty))
	for extra, fits := range map[int]bool{0: true, 1: false} {
		e := safetensors.Encoder{Metadata: map[string]string{"": strings.Repeat("x", room+extra)}}
		h, err := e.Plan(tensor)
		if fits && (err != nil || h.Size != safetensors.MaxHeaderSize) {
			t.Errorf("the largest header: %v", err)
		}
		if !fits && !errors.Is(err, safetensors.RuleHeaderSize) {
			t.Errorf("one byte more: %v", err)
		}
	}
}

// TestSlack leaves room after the metadata, and nowhere else. What is before it has 32
// bytes, {"__metadata__":{"k":""} and the length, but for the value.
func TestSlack(t *testing.T) {
	tensor := handMade("a", safetensors.U8, []byte{7}, 1)
	for _, c := range []struct {
		value int // bytes
		comma int // where what follows begins
	}{{0, 4096}, {3808, 4096}, {3809, 8192}, {5000, 8192}, {100_000, 102_400}} {
		e := safetensors.Encoder{Metadata: map[string]string{"k": strings.Repeat("v", c.value)}, Slack: true}
		file := encoded(t, e, tensor)
		before := fmt.Sprintf(`{"__metadata__":{"k":"%s"}`, e.Metadata["k"])
		if got := strings.TrimRight(string(file[8:c.comma]), " "); got != before || file[c.comma] != ',' {
			t.Errorf("a value of %d bytes: the header begins with %q, and goes on with %q", c.value, got, file[c.comma:][:20])
		}
		again, metadata := tensorsOf(t, file)
		if len(again) != 1 || !maps.Equal(metadata, e.Metadata) {
			t.Errorf("a value of %d bytes: it is read as %v with %v", c.value, again, metadata)
		}
		e.Slack = false
		if canonical := encoded(t, e, tensor); len(canonical) > len(before)+80 {
			t.Errorf("without slack there are %d bytes", len(canonical))
		}
	}
	for _, tensors := range [][]*safetensors.Tensor{nil, {tensor}} {
		e := safetensors.Encoder{Slack: true}
		if got := encoded(t, e, tensors...); !bytes.Equal(got, encoded(t, safetensors.Encoder{}, tensors...)) {
			t.Errorf("without metadata there are %d bytes", len(got))
		}
	}
}
