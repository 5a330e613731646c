package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// drawn returns small pictures by the encoders of the standard library, which know nothing of this
// package, and a WebP file of the form of RFC 9649.
func drawn(t testing.TB) map[filetype.Kind][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), palette.WebSafe)
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7 % 200)
	}
	var p, j, g bytes.Buffer
	if err := errors.Join(png.Encode(&p, img), jpeg.Encode(&j, img, nil), gif.Encode(&g, img, nil)); err != nil {
		t.Fatal(err)
	}
	return map[filetype.Kind][]byte{filetype.PNG: p.Bytes(), filetype.JPEG: j.Bytes(), filetype.GIF: g.Bytes(),
		filetype.WebP: []byte("RIFF\x12\x00\x00\x00WEBPVP8 \x05\x00\x00\x00abcde\x00")}
}

func TestEnd(t *testing.T) {
	for kind, b := range drawn(t) {
		for _, more := range []string{"", "x", "\x00\x00\x00\x00", string(b)} {
			whole := append(bytes.Clone(b), more...)
			end, err := End(kind, bytes.NewReader(whole), int64(len(whole)), func(int64) bool { return true })
			if err != nil || end != int64(len(b)) {
				t.Errorf("%s and %q: %d, %v; want %d", kind, more, end, err, len(b))
			}
		}
		for n := range b {
			var broken *StructureError
			if _, err := End(kind, bytes.NewReader(b[:n]), int64(n), func(int64) bool { return true }); !errors.As(err, &broken) {
				t.Errorf("%s, cut to %d: %v", kind, n, err)
			}
		}
		if _, err := End(kind, bytes.NewReader(b), int64(len(b)), func(int64) bool { return false }); !errors.Is(err, evidence.ErrBudget) {
			t.Errorf("%s without a budget: %v", kind, err)
		}
	}
}

// The work is linear, and the end is in the file.
func FuzzEnd(f *testing.F) {
	kinds := []filetype.Kind{filetype.PNG, filetype.JPEG, filetype.GIF, filetype.WebP}
	for i, kind := range kinds {
		f.Add(drawn(f)[kind], byte(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		spent := int64(0)
		spend := func(n int64) bool { spent += n; return true }
		end, err := End(kinds[kind%4], bytes.NewReader(b), int64(len(b)), spend)
		if end < 0 || end > int64(len(b)) || err == nil && end == 0 {
			t.Errorf("the end is %d of %d, %v", end, len(b), err)
		}
		if spent > 16*int64(len(b))+8192+4096*int64(bytes.Count(b, []byte{0xff, startOfScan})) {
			t.Errorf("%d bytes cost %d", len(b), spent)
		}
	})
}
