// Arbitrary bytes as compressed data.

package codec

import (
	"bytes"
	"compress/zlib"
	"io"
	"testing"
)

// FuzzZFile checks that the old files of joblib decompress to what zlib makes of the data behind their header.
func FuzzZFile(f *testing.F) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte("\x80\x02}q\x00."))
	_ = w.Close()
	f.Add([]byte("ZF0x6                "), z.Bytes())
	f.Add([]byte("ZF0x6                 "), z.Bytes())
	f.Add([]byte("ZF                   "), z.Bytes()[:5])
	f.Add([]byte("ZF99999999999999999L "), []byte("\x78\x9c\x03\x00"))
	f.Fuzz(func(t *testing.T, head, data []byte) {
		b := append(bytes.Clone(head), data...)
		for _, c := range Detect(b) {
			r, err := c.Open(NewSource(bytes.NewReader(b)))
			if err == nil {
				_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			}
			if err != nil && err != io.EOF && !Damaged(err) {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		if !isZFile(b) || len(head) != zfileSize || len(data) == 0 || data[0] == ' ' {
			return
		}
		r, err := openZFile(NewSource(bytes.NewReader(b)))
		want, wantErr := zlib.NewReader(bytes.NewReader(data))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		x, _ := io.ReadAll(io.LimitReader(r, 1<<20))
		if y, _ := io.ReadAll(io.LimitReader(want, 1<<20)); !bytes.Equal(x, y) {
			t.Errorf("%d bytes, want %d", len(x), len(y))
		}
	})
}
