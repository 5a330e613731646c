// Any bytes are of some kind, and what is written about them is one line.

package filetype

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzDetect(f *testing.F) {
	for _, b := range samples(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Detect(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if s := got.String(); got.Kind == "" || strings.ContainsAny(s, "\n\r\x1b") || len(s) > 500 {
			t.Errorf("%q", s)
		}
		head := DetectHead(b[:min(len(b), HeadSize)])
		if (got.Kind == Safetensors) != (head.Kind == Safetensors) {
			t.Errorf("the file is %v, its head %v", got, head)
		}
	})
}
