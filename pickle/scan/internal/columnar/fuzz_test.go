// Arbitrary bytes as Arrow and Parquet files.

package columnar

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzAnalyze checks that arbitrary bytes do not panic.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("\x15\x04\x19\x1c\x48\x06schema\x15\x00\x00\x16\x00\x19\x0c\x19\x1c\x18\x0cARROW:schema\x18\x04AAAA\x00\x00"))
	f.Add([]byte("\xff\xff\xff\xff\x10\x00\x00\x00\x04\x00\x00\x00\xfc\xff\xff\xff\x06\x00\x08\x00\x04\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		left := int64(1 << 20)
		spend := func(n int64) bool { left -= n; return left > 0 }
		parquet := append([]byte("PAR1    PAR1"), b...)
		parquet = append(binary.LittleEndian.AppendUint32(parquet, uint32(len(b))), "PAR1"...)
		if _, _, err := Parquet(bytes.NewReader(parquet), int64(len(parquet)), spend); err != nil && left > 0 {
			t.Error(err)
		}
		if _, _, err := Arrow(bytes.NewReader(b), int64(len(b)), b, spend); err != nil && left > 0 {
			t.Error(err)
		}
	})
}
