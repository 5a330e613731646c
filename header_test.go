// Headers from streams: what is read, what is believed, and what is looked up.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/weightools/safetensors"
)

// start returns N and the header's text, padded with spaces to pad bytes.
func start(text string, pad int) []byte {
	text += strings.Repeat(" ", max(0, pad-len(text)))
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
}

// TestReadHeaderReadsNotOneByteMore puts a reader behind the header that fails
// the test if it is asked for anything.
func TestReadHeaderReadsNotOneByteMore(t *testing.T) {
	const text = `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`
	// Small headers are read in one piece, large ones as they come.
	for _, size := range []int{len(text), 4096, 1 << 20, 1<<20 + 1, 5 << 20} {
		b := start(text, size)
		h, err := safetensors.ReadHeader(io.MultiReader(bytes.NewReader(b), failing{}))
		if err != nil {
			t.Errorf("%d bytes: %v", size, err)
			continue
		}
		if h.Size != int64(size) || h.DataStart() != int64(8+size) || len(h.Tensors) != 1 {
			t.Errorf("%d bytes: N = %d, data at %d, %d tensors", size, h.Size, h.DataStart(), len(h.Tensors))
		}
		// The data comes next from the stream.
		stream := bytes.NewReader(append(b, "data"...))
		if _, err := safetensors.ReadHeader(iotest.OneByteReader(stream)); err != nil {
			t.Error(err)
		}
		if rest, _ := io.ReadAll(stream); string(rest) != "data" {
			t.Errorf("%d bytes: %q is left of the stream", size, rest)
		}
	}
}

// TestReadHeaderOfAStreamThatEnds cuts a file at every byte of its header.
func TestReadHeaderOfAStreamThatEnds(t *testing.T) {
	b := start(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 56)
	for n := range len(b) {
		_, err := safetensors.ReadHeader(bytes.NewReader(b[:n]))
		want := safetensors.RuleHeaderSize
		if n < 8 {
			want = safetensors.RuleTooShort
		}
		if !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", n, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprint(max(n-8, 0))) {
			t.Errorf("%d bytes: %v does not say how many there are", n, err)
		}
	}
}

// TestReadHeaderPassesOnErrors checks that a reader that fails is not taken for
// a file that is wrong, wherever it does.
func TestReadHeaderPassesOnErrors(t *testing.T) {
	boom := errors.New("the disk is on fire")
	b := start(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 2<<20)
	for _, n := range []int{0, 1, 7, 8, 9, 40, 1<<20 + 8, len(b) - 1} {
		_, err := safetensors.ReadHeader(io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(boom)))
		var v *safetensors.Violation
		if !errors.Is(err, boom) || errors.As(err, &v) {
			t.Errorf("failing at %d: %v, want %v alone", n, err, boom)
		}
	}
}

// TestClaimsTakeNoMemory has lengths that nothing is behind.
func TestClaimsTakeNoMemory(t *testing.T) {
	claim := binary.LittleEndian.AppendUint64(nil, 100_000_000)
	stream := append(claim, "{           "...) // 20 bytes
	before := allocated()
	if _, err := safetensors.ReadHeader(bytes.NewReader(stream)); !errors.Is(err, safetensors.RuleHeaderSize) {
		t.Errorf("ReadHeader: %v", err)
	}
	if grown := allocated() - before; grown > 64<<10 {
		t.Errorf("ReadHeader took %d bytes for a stream of 20", grown)
	}
	before = allocated()
	if _, err := safetensors.Validate(bytes.NewReader(stream), 20); err != nil {
		t.Error(err)
	}
	if grown := allocated() - before; grown > 64<<10 {
		t.Errorf("Validate took %d bytes for a file of 20", grown)
	}
	// A shape can claim a petabyte. Nobody has asked for it yet.
	b := start(`{"a":{"dtype":"U8","shape":[1125899906842624],"data_offsets":[0,1125899906842624]}}`, 0)
	before = allocated()
	h, err := safetensors.ReadHeader(bytes.NewReader(b))
	if err != nil || h.Tensors[0].Size() != 1<<50 {
		t.Error(err)
	}
	if grown := allocated() - before; grown > 64<<10 {
		t.Errorf("a petabyte that is only claimed took %d bytes", grown)
	}
}

// TestReadHeaderOfNothing has the two ways in which a stream can be empty.
func TestReadHeaderOfNothing(t *testing.T) {
	if _, err := safetensors.ReadHeader(bytes.NewReader(nil)); !errors.Is(err, safetensors.RuleTooShort) {
		t.Errorf("no byte: %v", err)
	}
	if _, err := safetensors.ReadHeader(bytes.NewReader(make([]byte, 8))); !errors.Is(err, safetensors.RuleJSON) {
		t.Errorf("N = 0: %v", err)
	}
}

// TestReadHeaderLenient checks that of two tensors with one name the last wins,
// with all that it says, and that the first leaves nothing behind.
func TestReadHeaderLenient(t *testing.T) {
	const text = `{"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},` +
		`"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`
	lenient := safetensors.Opener{Lenient: true}
	h, err := lenient.ReadHeader(bytes.NewReader(start(text, 0)))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Tensors) != 2 || h.Tensors[0].Name != "b" || h.Tensors[1].Name != "a" {
		t.Fatalf("%+v, want b and the second a", h.Tensors)
	}
	a := h.Lookup("a")
	if a == nil || a.Dtype != safetensors.F32 || a.Offsets != (safetensors.Span{Begin: 4, End: 8}) {
		t.Errorf("a is %+v, want the last one", a)
	}
	if got, want := text[a.Entry.Begin-8:a.Entry.End-8], `"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}`; got != want {
		t.Errorf("a stands at %q, want %q", got, want)
	}
	_, err = safetensors.ReadHeader(bytes.NewReader(start(text, 0)))
	if !errors.Is(err, safetensors.RuleDuplicateName) || !strings.Contains(err.Error(), "bytes 9-60") || !strings.Contains(err.Error(), "bytes 113-165") {
		t.Errorf("%v, want a duplicate name and where both are", err)
	}
}

// TestEntry checks that every entry is found again where it says that it is.
func TestEntry(t *testing.T) {
	entries := []string{
		`"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}`,
		`"\u0062" : { "shape" : [ ] , "data_offsets":[4,8],"dtype":"F32" }`,
		`"":{"data_offsets":[8,8],"dtype":"U8","shape":[0]}`,
	}
	text := `{ ` + strings.Join(entries, " , ") + ` }`
	h, err := safetensors.ReadHeader(bytes.NewReader(start(text, 0)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range entries {
		at := h.Tensors[i].Entry
		if got := text[at.Begin-8 : at.End-8]; got != want {
			t.Errorf("entry %d is %q, want %q", i, got, want)
		}
	}
}

// TestLookup looks up names in headers of every origin: in the order of names,
// in runs, in no order, and made by hand.
func TestLookup(t *testing.T) {
	for _, names := range []string{"", "a", "abcdefg", "gfedcba", "adgbehcfi", "bdfhaceg", "zayb"} {
		made := new(safetensors.Header)
		for i, name := range names {
			made.Tensors = append(made.Tensors, safetensors.TensorInfo{
				Name: string(name), Dtype: safetensors.U8, Shape: []int64{1}, Offsets: safetensors.Span{Begin: int64(i), End: int64(i) + 1}})
		}
		b, err := made.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		read, err := safetensors.ReadHeader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []*safetensors.Header{made, read} {
			for i, name := range names {
				if ti := h.Lookup(string(name)); ti != &h.Tensors[i] {
					t.Errorf("in %q, Lookup(%q) = %v", names, name, ti)
				}
			}
			for _, absent := range []string{"", "A", "cc", "~", "\x00", "\xff"} {
				if ti := h.Lookup(absent); ti != nil {
					t.Errorf("in %q, Lookup(%q) = %v", names, absent, ti)
				}
			}
		}
	}
}

// TestTensorInfo has sizes that are easy to count, and some that are none.
func TestTensorInfo(t *testing.T) {
	for _, test := range []struct {
		shape []int64
		elems int64
		text  string
	}{
		{nil, 1, "[]"},
		{[]int64{0}, 0, "[0]"},
		{[]int64{4096, 11008}, 45_088_768, "[4096, 11008]"},
		{[]int64{3, 0, 5}, 0, "[3, 0, 5]"},
		{[]int64{1 << 31, 1 << 31}, 1 << 62, "[2147483648, 2147483648]"},
		{[]int64{1 << 32, 1 << 31}, 0, "[4294967296, 2147483648]"},       // 2^63 does not fit
		{[]int64{1 << 32, 1 << 32}, 0, "[4294967296, 4294967296]"},       // nor does 2^64
		{[]int64{-1, 0}, 0, "[18446744073709551615, 0]"},                 // as Shape says
		{[]int64{-1}, 0, "[18446744073709551615]"},                       // 2^64-1 does not fit
		{[]int64{1<<63 - 1}, 1<<63 - 1, "[9223372036854775807]"},         // and this is the most that does
		{[]int64{1, 1, 1, 1, 1, 1, 1, 7}, 7, "[1, 1, 1, 1, 1, 1, 1, 7]"}, // any rank
	} {
		ti := safetensors.TensorInfo{Shape: test.shape, Offsets: safetensors.Span{Begin: 3, End: 10}}
		if n := ti.NumElems(); n != test.elems {
			t.Errorf("%v has %d elements, want %d", test.shape, n, test.elems)
		}
		if s := ti.ShapeString(); s != test.text {
			t.Errorf("%v is %q, want %q", test.shape, s, test.text)
		}
		if ti.Size() != 7 {
			t.Errorf("[3, 10) has %d bytes", ti.Size())
		}
	}
}
