// Random headers: written, read, and read in other forms, they stay the same.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// compareTensorsOnly compares tensors but for where their entries stand.
func compareTensorsOnly(t *testing.T, got, want []safetensors.TensorInfo) {
	t.Helper()
	same := func(a, b safetensors.TensorInfo) bool {
		a.Entry, b.Entry = safetensors.Span{}, safetensors.Span{}
		return sameInfo(a, b)
	}
	if len(got) != len(want) {
		t.Fatalf("%d tensors, want %d", len(got), len(want))
	}
	for i := range got {
		if !same(got[i], want[i]) {
			t.Fatalf("tensor %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// A headerMaker makes headers of every kind that conforms.
type headerMaker struct{ *rand.Rand }

// header returns a header of up to 40 tensors, whose data is in its order or in
// none.
func (m headerMaker) header() *safetensors.Header {
	h := new(safetensors.Header)
	if m.IntN(2) == 0 {
		h.Metadata = make(map[string]string)
		for range m.IntN(4) {
			h.Metadata[m.name()] = m.name()
		}
	}
	var end int64
	seen := map[string]bool{"__metadata__": true}
	for range m.IntN(40) {
		ti := safetensors.TensorInfo{Name: m.name()}
		if seen[ti.Name] {
			continue
		}
		seen[ti.Name] = true
		var size int64
		ti.Dtype, ti.Shape, size = m.shape()
		ti.Offsets = safetensors.Span{Begin: end, End: end + size}
		end += size
		h.Tensors = append(h.Tensors, ti)
	}
	switch m.IntN(3) {
	case 0:
		slices.SortFunc(h.Tensors, func(a, b safetensors.TensorInfo) int { return strings.Compare(a.Name, b.Name) })
	case 1:
		m.Shuffle(len(h.Tensors), func(i, j int) { h.Tensors[i], h.Tensors[j] = h.Tensors[j], h.Tensors[i] })
	}
	return h
}

// name returns a name of one of the kinds that readers treat differently.
func (m headerMaker) name() string {
	switch m.IntN(4) {
	case 0:
		return fmt.Sprintf("model.layers.%d.mlp.up_proj.weight", m.IntN(100))
	case 1:
		return fmt.Sprintf("w%d", m.IntN(1000))
	}
	alphabet := []rune("ab.\"\\/\b\f\n\r\t\x00\x1f\x7f<&{}[]:, é\u0085\u2028\uffff😀")
	name := make([]rune, m.IntN(30))
	for i := range name {
		name[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(name)
}

// shape returns a dtype and a shape that fills whole bytes, and the size.
func (m headerMaker) shape() (safetensors.Dtype, []int64, int64) {
	all := slices.Collect(safetensors.Dtypes())
	for {
		dtype := all[m.IntN(len(all))]
		shape, elems := []int64{}, int64(1)
		for range m.IntN(5) {
			// Numbers of up to 13 digits: one to four of them have up to 52,
			// of which those that fit 2^50 are taken.
			d := m.Int64N(1 << m.IntN(44))
			shape = append(shape, d)
			if d > 0 && elems > (1<<50)/d {
				elems = -1
				break
			}
			elems *= d
		}
		if size, ok := dtype.Size(elems); ok {
			return dtype, shape, size
		}
	}
}

// TestRandomHeaders writes headers, reads them, and writes them again.
func TestRandomHeaders(t *testing.T) {
	m := headerMaker{rand.New(rand.NewPCG(1, 2))}
	for range 2000 {
		want := m.header()
		b, err := want.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := safetensors.ReadHeader(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%v of %s", err, b[8:])
		}
		compareTensorsOnly(t, got.Tensors, want.Tensors)
		if !maps.Equal(got.Metadata, want.Metadata) || (got.Metadata == nil) != (want.Metadata == nil) || got.Size != int64(len(b)-8) {
			t.Fatalf("metadata %q, want %q; N = %d of %d bytes", got.Metadata, want.Metadata, got.Size, len(b))
		}
		for i := range want.Tensors {
			if ti := got.Lookup(want.Tensors[i].Name); ti != &got.Tensors[i] {
				t.Fatalf("Lookup(%q) = %+v", want.Tensors[i].Name, ti)
			}
		}
		again, err := got.AppendBinary(nil)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%s\nwritten again is %v\n%s", b[8:], err, again[8:])
		}
	}
}

// TestFormsOfOneHeader reads each header in the form that writers use, for which
// the reader has a fast way, and in forms for which it has not.
func TestFormsOfOneHeader(t *testing.T) {
	m := headerMaker{rand.New(rand.NewPCG(3, 4))}
	for range 1000 {
		b, err := m.header().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := safetensors.ReadHeader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string]string{
			"spaced":   m.spaced(string(b[8:])),
			"turned":   turned(plain),
			"escaped":  strings.NewReplacer(`"dtype"`, `"d\u0074ype"`, `"shape"`, `"\u0073hape"`).Replace(string(b[8:])),
			"one turn": strings.Replace(string(b[8:]), `"shape":[`, `"shape": [`, 1),
		} {
			got, err := safetensors.ReadHeader(bytes.NewReader(start(text, 0)))
			if err != nil {
				t.Fatalf("%s: %v of %s", form, err, text)
			}
			if !maps.Equal(got.Metadata, plain.Metadata) {
				t.Fatalf("%s: metadata %q, want %q", form, got.Metadata, plain.Metadata)
			}
			compareTensorsOnly(t, got.Tensors, plain.Tensors)
		}
	}
}

// spaced returns a JSON text with white space put between its tokens.
func (m headerMaker) spaced(text string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		}
		b.WriteByte(c)
		// After the last brace spaces alone are allowed, and none before the first.
		if !inString && strings.IndexByte("{}[]:,\"", c) >= 0 && i+1 < len(strings.TrimRight(text, " ")) {
			for range m.IntN(3) {
				b.WriteByte(" \t\n\r"[m.IntN(4)])
			}
		}
	}
	return b.String()
}

// turned returns the text of a header with the members of each entry in another
// order, and the metadata last.
func turned(h *safetensors.Header) string {
	var members []string
	quoted := func(s string) string {
		one := safetensors.Header{Metadata: map[string]string{s: ""}}
		b, _ := one.AppendBinary(nil)
		return strings.TrimSuffix(strings.TrimPrefix(strings.TrimRight(string(b[8:]), " "), `{"__metadata__":{`), `:""}}`)
	}
	for i := range h.Tensors {
		ti := &h.Tensors[i]
		members = append(members, fmt.Sprintf(`%s:{"data_offsets":[%d,%d],"shape":%s,"dtype":"%s"}`,
			quoted(ti.Name), ti.Offsets.Begin, ti.Offsets.End, ti.ShapeString(), ti.Dtype))
	}
	if h.Metadata != nil {
		var pairs []string
		for k, v := range h.Metadata {
			pairs = append(pairs, quoted(k)+":"+quoted(v))
		}
		members = append(members, `"__metadata__":{`+strings.Join(pairs, ",")+"}")
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestNumbersOfEveryLength has dimensions and offsets of 1 to 19 digits, in the
// middle of a header and at its very end, where the fast way has no room.
func TestNumbersOfEveryLength(t *testing.T) {
	for digits := 1; digits <= 19; digits++ {
		for _, digit := range []string{"1", "9"} {
			number := strings.Repeat(digit, digits)
			var size int64
			if _, err := fmt.Sscan(number, &size); err != nil || size >= 1<<61 {
				continue // more bytes than bits can be counted
			}
			entry := `"a":{"dtype":"U8","shape":[` + number + `],"data_offsets":[0,` + number + `]}`
			next := `"b":{"dtype":"F64","shape":[0],"data_offsets":[` + number + `,` + number + `]}`
			for _, text := range []string{"{" + entry + "}", "{" + entry + "," + next + "}", "{" + entry + "," + next + "}" + strings.Repeat(" ", 64)} {
				h, err := safetensors.ReadHeader(bytes.NewReader(start(text, 0)))
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				if ti := h.Tensors[0]; ti.Shape[0] != size || ti.Offsets != (safetensors.Span{Begin: 0, End: size}) {
					t.Errorf("%s: %+v", text, ti)
				}
				if len(h.Tensors) == 2 && h.Tensors[1].Offsets != (safetensors.Span{Begin: size, End: size}) {
					t.Errorf("%s: %+v", text, h.Tensors[1])
				}
			}
		}
	}
}

// TestNumbersOneOff changes one digit of a good header at a time: each time the
// header says something else, and is refused.
func TestNumbersOneOff(t *testing.T) {
	const text = `{"a":{"dtype":"F16","shape":[12,345],"data_offsets":[0,8280]},"b":{"dtype":"U8","shape":[123456789],"data_offsets":[8280,123465069]},` +
		`"c":{"dtype":"BF16","shape":[2,3],"data_offsets":[123465069,123465081]},"d":{"dtype":"U8","shape":[1],"data_offsets":[123465081,123465082]}}        `
	if _, err := safetensors.ReadHeader(bytes.NewReader(start(text, 0))); err != nil {
		t.Fatal(err)
	}
	inShape := false
	for i := range len(text) {
		switch text[i] {
		case '[':
			inShape = true
		case ']':
			inShape = false
		}
		if !inShape || text[i] < '0' || text[i] > '9' {
			continue
		}
		for d := byte('0'); d <= '9'; d++ {
			if d == text[i] {
				continue
			}
			changed := text[:i] + string(d) + text[i+1:]
			if h, err := safetensors.ReadHeader(bytes.NewReader(start(changed, 0))); err == nil {
				t.Errorf("%s is read as %+v", changed, h.Tensors)
			}
		}
	}
}

// TestSharedShapes checks that tensors which share a shape in memory, as many
// layers do, cannot be changed through one another by appending.
func TestSharedShapes(t *testing.T) {
	b, err := (&safetensors.Header{Tensors: infos("a", "b", "c")}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	_ = append(h.Tensors[0].Shape, 7)
	_ = append(h.Tensors[1].Shape, 8)
	for _, ti := range h.Tensors {
		if !slices.Equal(ti.Shape, []int64{1}) || cap(ti.Shape) != 1 {
			t.Errorf("%q has the shape %v with room for %d", ti.Name, ti.Shape, cap(ti.Shape))
		}
	}
	if n := binary.LittleEndian.Uint64(b); n != uint64(h.Size) {
		t.Errorf("N = %d, read as %d", n, h.Size)
	}
}
