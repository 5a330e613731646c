// The one rule that needs the data.

package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// boolFile returns a file of 20 BOOL and 4 U8, whose data is given.
func boolFile(data []byte) []byte {
	return append(fileOf(`{"__metadata__":{"format":"pt"},"b":{"dtype":"BOOL","shape":[20],"data_offsets":[0,20]},"u":{"dtype":"U8","shape":[4],"data_offsets":[20,24]}}  `, 0), data...)
}

func TestCheckData(t *testing.T) {
	good := append(bytes.Repeat([]byte{0, 1}, 10), 2, 3, 4, 255) // the U8 may be anything
	bad := bytes.Clone(good)
	bad[17], bad[19] = 2, 0xff // in the last bytes, which do not fill a word of eight
	for _, c := range []struct {
		name  string
		data  []byte
		index int64 // of the first byte at fault, from the start of the data
		want  string
	}{
		{"0 and 1", good, 0, ""},
		{"others", bad, 17, `tensor "b" has 2 bytes that are neither 0 nor 1, the first 0x02 as element 17`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := boolFile(c.data)
			r, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.CheckData(bytes.NewReader(file)); err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(r.Violations) > 0 {
					t.Errorf("%v", r.Violations)
				}
				return
			}
			if len(r.Violations) != 1 {
				t.Fatalf("%v", r.Violations)
			}
			v := r.Violations[0]
			at := r.Header.DataStart() + c.index
			if v.Rule != safetensors.RuleBoolValue || v.Detail != c.want || v.Span != (safetensors.Span{Begin: at, End: at + 1}) {
				t.Errorf("%+v, want %q at %d", v, c.want, at)
			}
			if err := r.Err(); err != nil {
				t.Errorf("a warning is an error: %v", err)
			}
		})
	}
}

// A file that is cut off is reported once, as truncated; one that becomes
// shorter between the two calls is an error of reading.
func TestCheckDataOfShortFile(t *testing.T) {
	whole := boolFile(make([]byte, 24))
	cut := whole[:len(whole)-10]
	r, err := safetensors.Validate(bytes.NewReader(cut), int64(len(cut)))
	if err != nil || !errors.Is(r.Err(), safetensors.RuleTruncated) {
		t.Fatal(err, r.Err())
	}
	if err := r.CheckData(bytes.NewReader(cut)); err != nil || len(r.Violations) != 1 {
		t.Errorf("%v, %v", err, r.Violations)
	}
	r, err = safetensors.Validate(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	err = r.CheckData(bytes.NewReader(cut))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("%v, want an unexpected end that names the tensor", err)
	}
}
