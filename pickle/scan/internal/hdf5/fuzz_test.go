// Arbitrary bytes as HDF5 files.

package hdf5

import (
	"bytes"
	"testing"
)

// FuzzAnalyze checks that arbitrary bytes do not panic, and that attributes are in the file.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x89HDF\r\n\x1a\n\x02\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x60\x00\x00\x00\x00\x00\x00\x00" +
		"\x30\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00OHDR\x02\x00\x10\x0c\x0c\x00\x00\x03\x00\x01\x00\x08\x00\x04\x00\x00"))
	f.Add([]byte("\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00\x04\x00\x10\x00\x00\x00\x00\x00" + string(make([]byte, 100))))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := int64(1 << 20)
		spend := func(n int64) bool { left -= n; return left > 0 }
		c, err := Analyze(bytes.NewReader(b), int64(len(b)), 0, spend)
		if err != nil && left > 0 && c != nil && len(c.Attributes) < mostObjects {
			t.Error(err)
		}
		for _, a := range c.Attributes {
			if a.Pos < 0 || a.End > int64(len(b)) || a.Pos > a.End {
				t.Errorf("an attribute from %d to %d of %d bytes", a.Pos, a.End, len(b))
			}
		}
	})
}
