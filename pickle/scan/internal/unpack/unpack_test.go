// Random access returns the original bytes.

package unpack

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/codec"
)

// gzipped compresses a text that is larger than Kept and does not compress well.
func gzipped(t *testing.T) (text, packed []byte) {
	text = make([]byte, 3*Kept)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return text, b.Bytes()
}

// Data larger than Kept is decompressed again and gives the same bytes.
func TestReadAgain(t *testing.T) {
	text, packed := gzipped(t)
	left, work := int64(1<<30), int64(1<<30)
	u, err := Open(codec.Detect(packed)[0], func() io.Reader { return bytes.NewReader(packed) }, Budget{&left, &work})
	if err != nil || u.Size != int64(len(text)) || u.Damage != nil || u.Used != int64(len(packed)) || u.Files != 1 {
		t.Fatalf("%d bytes of %d, %v, %v", u.Size, len(text), u.Damage, err)
	}
	for _, off := range []int64{0, Kept - 5, Kept, 2*Kept + 7, 5, Kept + 1, u.Size - 3, u.Size - 100000} {
		got := make([]byte, 1000)
		n, err := u.ReadAt(got, off)
		want := text[off:min(off+1000, u.Size)]
		if !bytes.Equal(got[:n], want) || (err == io.EOF) != (len(want) < 1000) || err != nil && err != io.EOF {
			t.Errorf("at %d: %d bytes, %v", off, n, err)
		}
	}
}

// TestBudget checks that decompression stops at the limit and counts the bytes.
func TestBudget(t *testing.T) {
	text, packed := gzipped(t)
	left, work := int64(1000), int64(1<<30)
	u, err := Open(codec.Detect(packed)[0], func() io.Reader { return bytes.NewReader(packed) }, Budget{&left, &work})
	if err != nil || !errors.Is(u.Damage, ErrLimit) || u.Size != 1000 || left != 0 || work == 1<<30 {
		t.Fatalf("%d bytes, %v, %v; %d bytes are left", u.Size, u.Damage, err, left)
	}
	got := make([]byte, 2000)
	if n, err := u.ReadAt(got, 0); err != io.EOF || !bytes.Equal(got[:n], text[:1000]) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
