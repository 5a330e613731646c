// Any bytes at all: no door panics, all doors agree, and memory stays in bounds.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors"
)

// seed adds what is known to be interesting: the reference's cases, and files
// by other writers.
func seed(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add(fileOf(`{"a":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"F4","shape":[2],"data_offsets":[16,17]}}`, 17))
	f.Add(fileOf(`{"__metadata__":{"format":"pt","\u00e9":"\ud83d\ude00"},"x/../y":{"shape":[],"data_offsets":[0,1],"dtype":"BOOL","z":[{}]}}  `, 1))
	if cases, err := os.ReadFile("../shared/conformance/reader.jsonl"); err == nil {
		for line := range bytes.Lines(cases) {
			var c readerCase
			if json.Unmarshal(line, &c) == nil {
				b, _ := hex.DecodeString(c.Hex)
				f.Add(b)
			}
		}
	}
	for _, pattern := range []string{"testdata/*/*.safetensors", "../shared/fixtures/*/*.safetensors"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			if b, err := os.ReadFile(name); err == nil && len(b) < 1<<14 {
				f.Add(b)
			}
		}
	}
}

// fileOf returns a file with the given header and size of data.
func fileOf(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func FuzzValidate(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		size := int64(len(file))
		before := allocated()
		report, err := safetensors.Validate(bytes.NewReader(file), size)
		if err != nil {
			t.Fatal("reading memory: ", err)
		}
		// A violation takes a few hundred bytes, and a byte of header can break
		// no more than a few rules: 1 KiB for each is far above what is needed,
		// and far below what a claimed length could ask for.
		if grown := allocated() - before; grown > 1<<20+uint64(size)<<10 {
			t.Errorf("%d bytes allocated for a file of %d", grown, size)
		}
		checkReport(t, report, size)
		for _, opener := range []safetensors.Opener{{}, {Lenient: true}} {
			least := safetensors.Nonconforming
			if opener.Lenient {
				least = safetensors.Invalid
			}
			f, err := opener.NewFile(bytes.NewReader(file), size)
			if want := report.First(least); (err == nil) != (want == nil) {
				t.Fatalf("NewFile (lenient %v) says %v, and Validate %v", opener.Lenient, err, want)
			}
			if err == nil {
				checkFile(t, f, file)
			}
		}
		if report.Err() == nil {
			compareWithEncodingJSON(t, report.Header, file)
		}
	})
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// described reports whether v has the severity and the fix of its rule.
func described(v *safetensors.Violation) bool {
	return slices.ContainsFunc(safetensors.Rules(), func(info safetensors.RuleInfo) bool {
		return info.Rule == v.Rule && info.Severity == v.Severity &&
			(info.Fix == v.Fix || v.Rule == safetensors.RuleNotSafetensors && v.Fix != "") // by the kind of file
	})
}

// checkReport checks what holds of every report.
func checkReport(t *testing.T, r *safetensors.Report, size int64) {
	for i, v := range r.Violations {
		if s := v.Error(); strings.ContainsAny(s, "\n\r\x00\x1b") || v.Detail == "" {
			t.Errorf("%q is not a line", s)
		}
		if !described(v) {
			t.Errorf("%q has severity %v and fix %q, unlike its rule", v.Rule, v.Severity, v.Fix)
		}
		if v.Span.Begin < 0 || v.Span.End < v.Span.Begin {
			t.Errorf("%v has the span %v", v, v.Span)
		}
		if i > 0 && v.Span.Begin < r.Violations[i-1].Span.Begin {
			t.Errorf("%v comes after %v", v, r.Violations[i-1])
		}
	}
	if r.Header == nil {
		return
	}
	for _, ti := range r.Header.Tensors {
		if ti.Entry.End > size || ti.Size() < 0 || ti.NumElems() < 0 {
			t.Errorf("entry %+v of a file of %d bytes", ti, size)
		}
	}
}

// checkFile checks what holds of every file that is accepted: the tensors are
// found by name, and are the bytes between the header and the end, once each.
func checkFile(t *testing.T, f *safetensors.File, file []byte) {
	var covered int64
	for tensor := range f.Tensors() {
		if found := f.Header.Lookup(tensor.Name); found == nil || found.Entry != tensor.Entry {
			t.Fatalf("Lookup(%q) = %v, want %v", tensor.Name, found, tensor.TensorInfo)
		}
		b, err := tensor.Bytes()
		at := f.Header.FileSpan(&tensor.TensorInfo)
		if err != nil || !bytes.Equal(b, file[at.Begin:at.End]) {
			t.Fatalf("Bytes of %q: %v", tensor.Name, err)
		}
		if want, ok := tensor.Dtype.Size(tensor.NumElems()); !ok || want != tensor.Size() {
			t.Fatalf("%q has %d bytes, and %s %v takes %d", tensor.Name, tensor.Size(), tensor.Dtype, tensor.Shape, want)
		}
		covered += tensor.Size()
	}
	if f.Header.DataStart()+covered != int64(len(file)) {
		t.Fatalf("the tensors cover %d bytes of %d", covered, int64(len(file))-f.Header.DataStart())
	}
}

// compareWithEncodingJSON reads the header of a conforming file with another
// parser, which is laxer, and so agrees about all that both accept.
func compareWithEncodingJSON(t *testing.T, h *safetensors.Header, file []byte) {
	text := file[8:h.DataStart()]
	if !utf8.Valid(text) || !json.Valid(text) {
		t.Fatalf("%q is accepted", text)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	n := len(h.Tensors)
	if _, ok := members["__metadata__"]; ok {
		n++
	}
	if len(members) != n {
		t.Fatalf("%d members, and encoding/json finds %d", n, len(members))
	}
	for _, ti := range h.Tensors {
		var want struct {
			Dtype   safetensors.Dtype `json:"dtype"`
			Shape   []uint64          `json:"shape"`
			Offsets [2]int64          `json:"data_offsets"`
		}
		if err := json.Unmarshal(members[ti.Name], &want); err != nil {
			t.Fatal(err)
		}
		same := slices.EqualFunc(ti.Shape, want.Shape, func(a int64, b uint64) bool { return uint64(a) == b })
		if ti.Dtype != want.Dtype || !same || ti.Offsets != (safetensors.Span{Begin: want.Offsets[0], End: want.Offsets[1]}) {
			t.Fatalf("%+v, and encoding/json finds %+v", ti, want)
		}
	}
}

func FuzzReadHeader(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		r := bytes.NewReader(file)
		before := allocated()
		h, err := safetensors.ReadHeader(r)
		if grown := allocated() - before; grown > 1<<21+uint64(len(file))<<10 {
			t.Errorf("%d bytes allocated for a stream of %d", grown, len(file))
		}
		var v *safetensors.Violation
		if err != nil {
			if !errors.As(err, &v) {
				t.Fatal("reading memory: ", err)
			}
			return
		}
		if read := int64(len(file) - r.Len()); read != h.DataStart() {
			t.Fatalf("%d bytes were read of a header that ends at %d", read, h.DataStart())
		}
		// What was read is written, and read again: the same.
		h.Size = 0
		b, err := h.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := safetensors.ReadHeader(io.MultiReader(bytes.NewReader(b), failing{}))
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if len(again.Tensors) != len(h.Tensors) || again.Size%8 != 0 {
			t.Fatalf("%d tensors, %d after a round trip", len(h.Tensors), len(again.Tensors))
		}
		for i := range h.Tensors {
			a, b := h.Tensors[i], again.Tensors[i]
			if a.Name != b.Name || a.Dtype != b.Dtype || !slices.Equal(a.Shape, b.Shape) || a.Offsets != b.Offsets {
				t.Fatalf("%+v, after a round trip %+v", a, b)
			}
		}
	})
}

// failing is a Reader that must not be read.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("read past the header") }
