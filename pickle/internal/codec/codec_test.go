// Detection and decompression of each codec.

package codec

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

const text = "what is packed, what is packed, what is packed"

// packed returns text compressed by a writer of the standard library.
func packed(t testing.TB, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t testing.TB) string {
	return packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zlibbed(t testing.TB) string {
	return packed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

// unpacked decompresses data with the only codec that matches it, and returns the number of bytes it read.
func unpacked(t testing.TB, packed string) (name, text string, used int64, err error) {
	t.Helper()
	list := Detect([]byte(packed))
	if len(list) != 1 {
		return "", "", 0, nil
	}
	in := NewSource(iotest.HalfReader(strings.NewReader(packed)))
	r, err := list[0].Open(in)
	if err != nil {
		return list[0].Name, "", in.Used, err
	}
	b, err := io.ReadAll(r)
	return list[0].Name, string(b), in.Used, err
}

// bzip2Head starts a bzip2 file: the block size, and the block magic, which is the first digits of pi.
const bzip2Head = "BZh91AY&SY"

func TestUnpack(t *testing.T) {
	xz, err := os.ReadFile("../lzma/testdata/lines.xz")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, packed, begin string
	}{
		{"gzip", gzipped(t), text},
		{"gzip", gzipped(t) + gzipped(t), text + text},
		{"zlib", zlibbed(t), text},
		{"joblib-zfile", "ZF0x2e               " + zlibbed(t), text},
		{"xz", string(xz), "line 0 of some text"},
		{"lz4", "\x04\x22\x4d\x18\x60\x40\x00" + "\x03\x00\x00\x80abc" + "\x00\x00\x00\x00", "abc"},
	} {
		name, got, used, err := unpacked(t, tt.packed)
		if name != tt.name || !strings.HasPrefix(got, tt.begin) || err != nil || used != int64(len(tt.packed)) {
			t.Errorf("%s: %s, %.20q, %v, %d bytes of %d", tt.name, name, got, err, used, len(tt.packed))
		}
		if _, got, _, err := unpacked(t, tt.packed[:len(tt.packed)-2]); err != nil && !Damaged(err) ||
			!strings.HasPrefix(got+text, got) {
			t.Errorf("%s, cut off: %.20q, %v, which is no damage", tt.name, got, err)
		}
	}
}

// Trailing data stays unread if the codec knows where its data ends.
func TestWhatFollows(t *testing.T) {
	for _, packed := range []string{gzipped(t), zlibbed(t), gzipped(t) + gzipped(t)} {
		if _, _, used, err := unpacked(t, packed+"more"); used != int64(len(packed)) || err != nil {
			t.Errorf("%d bytes of %d, %v", used, len(packed), err)
		}
	}
}

func TestDetectNothing(t *testing.T) {
	for _, head := range []string{"", "x", "\x1f\x8b", "\x78\x9d", "\x78\x20", "BZh0", "BZh9 a text",
		"\x5d\x00\x00\x80\x01", bzip2Head[:9], "PK\x03\x04", "ZFxx"} {
		if list := Detect([]byte(head)); len(list) > 0 {
			t.Errorf("%q is packed by %s", head, list[0].Name)
		}
	}
	if list := Detect([]byte(bzip2Head)); len(list) != 1 || list[0].Name != "bzip2" {
		t.Errorf("bzip2 is packed by %v", list)
	}
}

func TestMethods(t *testing.T) {
	raw := packed(t, func(w io.Writer) io.WriteCloser {
		f, err := flate.NewWriter(w, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		return f
	})
	c, ok := Method(8, int64(len(text)))
	if !ok {
		t.Fatal("there is no deflate")
	}
	r, err := c.Open(NewSource(strings.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != text || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for _, method := range []uint16{0, 1, 9, 93, 97, 99} {
		if c, ok := Method(method, 0); ok {
			t.Errorf("method %d is %s", method, c.Name)
		}
	}
}

// Read errors are not damage.
func TestDamaged(t *testing.T) {
	for err, want := range map[error]bool{nil: false, io.EOF: false, io.ErrUnexpectedEOF: true, gzip.ErrHeader: true,
		zlib.ErrChecksum: true, flate.CorruptInputError(1): true, io.ErrClosedPipe: false} {
		if Damaged(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}

// FuzzGzip: what package compress/gzip decompresses without an error, and nothing else follows, is decompressed alike.
func FuzzGzip(f *testing.F) {
	f.Add([]byte(gzipped(f)), byte(0))
	f.Add([]byte(gzipped(f)+gzipped(f)), byte(31))
	f.Add([]byte("\x1f\x8b\x08\x1e\x00\x00\x00\x00\x00\xff\x02\x00abname\x00comment\x00cc\x03\x00"), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, flags byte) {
		if len(b) > 4 {
			b[3] ^= flags & 0x1f
		}
		z, err := gzip.NewReader(bytes.NewReader(b))
		var want []byte
		if err == nil {
			want, err = io.ReadAll(io.LimitReader(z, 1<<20))
		}
		in := NewSource(bytes.NewReader(b))
		r, ourErr := openGzip(in)
		var got []byte
		if ourErr == nil {
			got, ourErr = io.ReadAll(io.LimitReader(r, 1<<20))
		}
		if err == nil && (ourErr != nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes, %v, want %d", len(got), ourErr, len(want))
		}
		if in.Used > int64(len(b)) || ourErr != nil && !Damaged(ourErr) {
			t.Errorf("%d bytes of %d were used: %v", in.Used, len(b), ourErr)
		}
	})
}
