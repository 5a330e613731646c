// Every vector through every door.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/vectors"
)

// limitsOf returns an Opener with the limit that a vector is about.
func limitsOf(t *testing.T, v *vectors.Vector) safetensors.Opener {
	t.Helper()
	var o safetensors.Opener
	if v.Limit == "" {
		return o
	}
	var what string
	var most int64
	if _, err := fmt.Sscan(v.Limit, &what, &most); err != nil {
		t.Fatal(err)
	}
	switch what {
	case "header":
		o.MaxHeaderSize = most
	case "tensors":
		o.MaxTensors = int(most)
	case "rank":
		o.MaxRank = int(most)
	case "metadata":
		o.MaxMetadata = most
	default:
		t.Fatalf("no limit is called %q", what)
	}
	return o
}

func eachVector(t *testing.T, test func(t *testing.T, v *vectors.Vector, o safetensors.Opener)) {
	t.Helper()
	for v := range vectors.All() {
		t.Run(v.Name, func(t *testing.T) { test(t, v, limitsOf(t, v)) })
	}
}

// TestVectorsValidate checks that Validate finds what the vector says, in the
// bytes that it says, and nothing else that it does not say.
func TestVectorsValidate(t *testing.T) {
	eachVector(t, func(t *testing.T, v *vectors.Vector, o safetensors.Opener) {
		report, err := o.Validate(bytes.NewReader(v.File), int64(len(v.File)))
		if err != nil {
			t.Fatal(err)
		}
		if err := report.CheckData(bytes.NewReader(v.File)); err != nil {
			t.Fatal(err)
		}
		checkReport(t, report, int64(len(v.File)))
		if fault := report.Err(); (fault == nil) != (v.Expect == vectors.Accept) {
			t.Errorf("%v, and the vector says %s", fault, v.Expect)
		}
		also := slices.Clone(v.Also)
		found := 0
		for _, got := range report.Violations {
			if i := slices.Index(also, string(got.Rule)); i >= 0 && got.Severity <= safetensors.Warning {
				also = slices.Delete(also, i, i+1)
				continue
			}
			found++
			checkViolation(t, got, v)
		}
		if len(also) > 0 {
			t.Errorf("nothing is found about %v", also)
		}
		if want := v.Rule != ""; (found == 1) != want {
			t.Errorf("%d violations of %q are found", found, v.Rule)
		}
	})
}

// checkViolation compares what is found with what the head of the vector says.
func checkViolation(t *testing.T, got *safetensors.Violation, v *vectors.Vector) {
	t.Helper()
	want := safetensors.Violation{Rule: safetensors.Rule(v.Rule), Tensor: v.Tensor,
		Span: safetensors.Span{Begin: v.Begin, End: v.End}, Severity: got.Severity, Detail: got.Detail, Fix: got.Fix}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("rule %s, tensor %q, bytes %v\nwant rule %s, tensor %q, bytes %v\n(%v)",
			string(got.Rule), got.Tensor, got.Span, v.Rule, want.Tensor, want.Span, got)
	}
	if s := got.Severity.String(); v.Severity != "" && s != v.Severity {
		t.Errorf("severity %s, want %s", s, v.Severity)
	}
	if !errors.Is(got, safetensors.Rule(v.Rule)) {
		t.Errorf("%v is not %v", got, safetensors.Rule(v.Rule))
	}
	line := got.Error()
	if !strings.HasPrefix(line, "safetensors: ") || strings.ContainsAny(line, "\r\n") || len(line) > 1000 {
		t.Errorf("%q is no line", line)
	}
	where := fmt.Sprintf("(bytes %d-%d, rule %s)", v.Begin, v.End, v.Rule)
	if v.Begin == v.End { // nowhere, as in an empty file
		where = fmt.Sprintf("(rule %s)", v.Rule)
	}
	if !strings.HasSuffix(line, where) {
		t.Errorf("%q does not say %s", line, where)
	}
}

// TestVectorsNewFile checks that strict and lenient readers accept what they
// should, and that both see the same tensors as another parser of JSON does.
func TestVectorsNewFile(t *testing.T) {
	eachVector(t, func(t *testing.T, v *vectors.Vector, o safetensors.Opener) {
		for _, lenient := range []bool{false, true} {
			o.Lenient = lenient
			f, err := o.NewFile(bytes.NewReader(v.File), int64(len(v.File)))
			accept := v.Expect == vectors.Accept || lenient && v.Expect == vectors.Lenient
			switch {
			case (err == nil) != accept:
				t.Errorf("lenient %v: %v, and the vector says %s", lenient, err, v.Expect)
			case err == nil:
				checkFile(t, f, v.File)
			default:
				var violation *safetensors.Violation
				if !errors.As(err, &violation) {
					t.Fatalf("%T %v is no Violation", err, err)
				}
				checkViolation(t, violation, v)
			}
			if err == nil && v.Expect == vectors.Accept {
				compareWithEncodingJSON(t, f.Header, v.File)
			}
		}
	})
}

// TestVectorsOpen checks that a file on disk is judged as one in memory is, and
// that no error of reading is made of what is wrong with it.
func TestVectorsOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model.safetensors")
	eachVector(t, func(t *testing.T, v *vectors.Vector, o safetensors.Opener) {
		if err := os.WriteFile(name, v.File, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, mapped := range []bool{false, true} {
			o.Mapped = mapped
			f, err := o.Open(name)
			if (err == nil) != (v.Expect == vectors.Accept) {
				t.Errorf("mapped %v: %v, and the vector says %s", mapped, err, v.Expect)
			}
			if err == nil {
				checkFile(t, f, v.File)
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, safetensors.Rule(v.Rule)) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v is not of %s and %s", err, name, v.Rule)
			}
		}
	})
}

// TestVectorsReadHeader checks that a header without its data is judged as the
// file is, except for what the data alone can tell.
func TestVectorsReadHeader(t *testing.T) {
	eachVector(t, func(t *testing.T, v *vectors.Vector, o safetensors.Opener) {
		h, err := o.ReadHeader(bytes.NewReader(v.File))
		refused := v.Expect != vectors.Accept
		switch safetensors.Rule(v.Rule) {
		case safetensors.RuleTruncated, safetensors.RuleTrailing:
			refused = false
		case safetensors.RuleNotSafetensors:
			// A stream is not read on to find out what it is instead.
			if err == nil {
				t.Error("accepted")
			}
			return
		}
		if (err != nil) != refused {
			t.Fatalf("%v, and the vector says %s", err, v.Expect)
		}
		if err != nil {
			if !errors.Is(err, safetensors.Rule(v.Rule)) {
				t.Errorf("%v is not of %s", err, v.Rule)
			}
			return
		}
		f, err := o.NewFile(bytes.NewReader(v.File), int64(len(v.File)))
		if err == nil {
			compareHeaders(t, h, f.Header)
		}
	})
}

// compareHeaders checks that two headers say the same.
func compareHeaders(t *testing.T, got, want *safetensors.Header) {
	t.Helper()
	if got.Size != want.Size || !maps.Equal(got.Metadata, want.Metadata) || (got.Metadata == nil) != (want.Metadata == nil) {
		t.Errorf("size %d and metadata %q, want %d and %q", got.Size, got.Metadata, want.Size, want.Metadata)
	}
	if !slices.EqualFunc(got.Tensors, want.Tensors, sameInfo) {
		t.Errorf("tensors\n%+v, want\n%+v", got.Tensors, want.Tensors)
	}
}

func sameInfo(a, b safetensors.TensorInfo) bool {
	return a.Name == b.Name && a.Dtype == b.Dtype && slices.Equal(a.Shape, b.Shape) && a.Offsets == b.Offsets && a.Entry == b.Entry
}

// TestVectorsOfSlowReaders checks that readers which give a byte at a time, or
// their last bytes together with io.EOF, change nothing.
func TestVectorsOfSlowReaders(t *testing.T) {
	eachVector(t, func(t *testing.T, v *vectors.Vector, o safetensors.Opener) {
		_, want := o.ReadHeader(bytes.NewReader(v.File))
		_, err := o.ReadHeader(&slowReader{v.File})
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", err, want)
		}
		_, want = o.NewFile(bytes.NewReader(v.File), int64(len(v.File)))
		_, err = o.NewFile(eagerReaderAt(v.File), int64(len(v.File)))
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", err, want)
		}
	})
}

// A slowReader gives one byte at a time, and the last one with io.EOF.
type slowReader struct{ left []byte }

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(1, len(b))], r.left)
	if r.left = r.left[n:]; len(r.left) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// An eagerReaderAt returns io.EOF with the last byte, as io.ReaderAt allows.
type eagerReaderAt []byte

func (r eagerReaderAt) ReadAt(b []byte, off int64) (int, error) {
	n := copy(b, r[min(off, int64(len(r))):])
	if off+int64(n) == int64(len(r)) {
		return n, io.EOF
	}
	return n, nil
}

// TestEveryRuleHasAVector checks that no rule about one file goes untested.
func TestEveryRuleHasAVector(t *testing.T) {
	count := make(map[safetensors.Rule]int)
	for v := range vectors.All() {
		count[safetensors.Rule(v.Rule)]++
	}
	for _, info := range safetensors.Rules() {
		if count[info.Rule] == 0 {
			t.Errorf("there is no vector of %v", info.Rule)
		}
	}
	if healthy := count[""]; healthy < 50 {
		t.Errorf("%d healthy vectors, where 50 at least are due", healthy)
	}
}
