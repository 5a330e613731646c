// Headers as bytes again: the canonical text, its escapes, its padding, its errors.

package safetensors_test

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

var _ encoding.BinaryAppender = (*safetensors.Header)(nil)

// text returns the text of the header in b, without N.
func text(t *testing.T, b []byte) string {
	t.Helper()
	if n := binary.LittleEndian.Uint64(b); n != uint64(len(b)-8) {
		t.Fatalf("N = %d, and the text has %d bytes", n, len(b)-8)
	}
	return string(b[8:])
}

// infos returns tensors of one byte with the given names.
func infos(names ...string) []safetensors.TensorInfo {
	var all []safetensors.TensorInfo
	for i, name := range names {
		all = append(all, safetensors.TensorInfo{Name: name, Dtype: safetensors.U8, Shape: []int64{1},
			Offsets: safetensors.Span{Begin: int64(i), End: int64(i) + 1}})
	}
	return all
}

// TestAppendBinaryText has whole texts, written by hand.
func TestAppendBinaryText(t *testing.T) {
	for _, test := range []struct {
		name string
		h    safetensors.Header
		want string
	}{
		{"nothing", safetensors.Header{}, `{}      `},
		{"empty metadata", safetensors.Header{Metadata: map[string]string{}}, `{"__metadata__":{}}     `},
		{"metadata in order", safetensors.Header{Metadata: map[string]string{"b": "2", "a": "1", "": "0", "B": "3"}},
			`{"__metadata__":{"":"0","B":"3","a":"1","b":"2"}}       `},
		{"metadata first", safetensors.Header{Metadata: map[string]string{"format": "pt"}, Tensors: infos("a")},
			`{"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}    `},
		{"in the order given", safetensors.Header{Tensors: infos("b", "a")},
			`{"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}       `},
		{"scalar", safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "s", Dtype: "F32", Offsets: safetensors.Span{Begin: 0, End: 4}}}},
			`{"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   `},
		{"dimension above 2^63", safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: "z", Dtype: "I8", Shape: []int64{0, -1}}}},
			`{"z":{"dtype":"I8","shape":[0,18446744073709551615],"data_offsets":[0,0]}}      `},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := test.h.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, b); got != test.want {
				t.Errorf("%q, want\n%q", got, test.want)
			}
		})
	}
}

// TestAppendBinaryEscapes checks that what must be escaped is, as the reference
// escapes it, and nothing else.
func TestAppendBinaryEscapes(t *testing.T) {
	for name, want := range map[string]string{
		`"`: `\"`, `\`: `\\`, "/": "/", "\b": `\b`, "\f": `\f`, "\n": `\n`, "\r": `\r`, "\t": `\t`,
		"\x00": `\u0000`, "\v": `\u000b`, "\x0e": `\u000e`, "\x1b": `\u001b`, "\x1f": `\u001f`,
		"\x7f": "\x7f", "<>&'": "<>&'", "é": "é", "\u2028": "\u2028", "\u0085": "\u0085", "\uffff": "\uffff", "😀": "😀",
		`a"b\c`: `a\"b\\c`, `\n`: `\\n`,
	} {
		h := safetensors.Header{Metadata: map[string]string{name: name}, Tensors: infos(name)}
		b, err := h.AppendBinary(nil)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		got := strings.TrimRight(text(t, b), " ")
		if full := `{"__metadata__":{"` + want + `":"` + want + `"},"` + want + `":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`; got != full {
			t.Errorf("%q is written as\n%s, want\n%s", name, got, full)
		}
		read, err := safetensors.ReadHeader(bytes.NewReader(b))
		if err != nil || read.Lookup(name) == nil || read.Metadata[name] != name {
			t.Errorf("%q is read as %+v, %v", name, read, err)
		}
	}
}

// TestAppendBinaryPads checks the length of the text for every remainder, and
// that a Size asked for is kept.
func TestAppendBinaryPads(t *testing.T) {
	for n := range 17 {
		h := safetensors.Header{Tensors: infos(strings.Repeat("a", n))}
		b, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		bare := len(`{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`) + n
		padded := text(t, b)
		if len(padded)%8 != 0 || len(padded)-bare >= 8 || strings.TrimRight(padded, " ") != padded[:bare] {
			t.Errorf("%d bytes of text became %q", bare, padded)
		}
		for _, size := range []int{bare, bare + 1, 4096} {
			h.Size = int64(size)
			b, err := h.AppendBinary(nil)
			if err != nil || len(text(t, b)) != size {
				t.Errorf("Size %d: %d bytes, %v", size, len(b)-8, err)
			}
		}
		h.Size = int64(bare - 1)
		if b, err := h.AppendBinary(nil); err == nil || len(b) != 0 {
			t.Errorf("Size %d for a text of %d: %q, %v", h.Size, bare, b, err)
		}
	}
}

// TestAppendBinaryAppends checks that what is in the slice stays, also when
// there is an error.
func TestAppendBinaryAppends(t *testing.T) {
	prefix := []byte("before")
	h := safetensors.Header{Tensors: infos("a")}
	whole, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1, 1000} {
		b := append(make([]byte, 0, len(prefix)+room), prefix...)
		b, err := h.AppendBinary(b)
		if err != nil || string(b) != "before"+string(whole) {
			t.Errorf("with room for %d: %q, %v", room, b, err)
		}
	}
	bad := safetensors.Header{Tensors: infos("a", "a")}
	if b, err := bad.AppendBinary(prefix); err == nil || string(b) != "before" {
		t.Errorf("with an error: %q, %v", b, err)
	}
}

// TestAppendBinaryRefuses has headers that nobody could read.
func TestAppendBinaryRefuses(t *testing.T) {
	big := safetensors.Header{Size: safetensors.MaxHeaderSize + 1}
	for _, test := range []struct {
		name string
		h    safetensors.Header
		want safetensors.Rule
	}{
		{"duplicate", safetensors.Header{Tensors: infos("a", "b", "a")}, safetensors.RuleDuplicateName},
		{"two empty names", safetensors.Header{Tensors: infos("", "")}, safetensors.RuleDuplicateName},
		{"reserved", safetensors.Header{Tensors: infos("a", "__metadata__")}, safetensors.RuleReservedName},
		{"too large", big, safetensors.RuleHeaderSize},
		{"name not UTF-8", safetensors.Header{Tensors: infos("a\xff")}, safetensors.RuleUTF8},
		{"metadata key not UTF-8", safetensors.Header{Metadata: map[string]string{"\xff": ""}}, safetensors.RuleUTF8},
		{"metadata value not UTF-8", safetensors.Header{Metadata: map[string]string{"a": "\xc3"}}, safetensors.RuleUTF8},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := test.h.AppendBinary(nil)
			if !errors.Is(err, test.want) || len(b) != 0 {
				t.Errorf("%q, %v; want %v", b, err, test.want)
			}
			var v *safetensors.Violation
			if err != nil && !errors.As(err, &v) {
				t.Errorf("%T is no Violation", err)
			}
		})
	}
}

// TestAppendBinaryWidestNumbers checks that the largest numbers of a header are
// written in full, and read as they were.
func TestAppendBinaryWidestNumbers(t *testing.T) {
	const most = 1<<61 - 1 // bytes, of which the bits still fit 64
	h := safetensors.Header{Tensors: []safetensors.TensorInfo{
		{Name: "a", Dtype: safetensors.U8, Shape: []int64{most}, Offsets: safetensors.Span{Begin: 0, End: most}},
		{Name: "b", Dtype: safetensors.U8, Shape: []int64{most}, Offsets: safetensors.Span{Begin: most, End: 2 * most}},
		{Name: "c", Dtype: safetensors.U8, Shape: []int64{0, -1}, Offsets: safetensors.Span{Begin: 2 * most, End: 2 * most}},
	}}
	b, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"b":{"dtype":"U8","shape":[2305843009213693951],"data_offsets":[2305843009213693951,4611686018427387902]}`; !bytes.Contains(b, []byte(want)) {
		t.Errorf("%s does not contain\n%s", b[8:], want)
	}
	read, err := safetensors.ReadHeader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	compareTensorsOnly(t, read.Tensors, h.Tensors)
}
