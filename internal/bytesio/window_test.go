// Windows: the right bytes, and few reads.

package bytesio

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A counter counts reads.
type counter struct {
	io.ReaderAt
	reads int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	return c.ReaderAt.ReadAt(b, off)
}

func TestAt(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	c := &counter{ReaderAt: strings.NewReader(text)}
	w := NewWindow(c, int64(len(text)))
	for _, tt := range []struct {
		off   int64
		n     int
		reads int // so far
	}{
		{0, 10, 1}, {4000, 96, 1}, {4090, 10, 2}, {0, 0, 3}, {10, 5000, 4}, {9999, 1, 5}, {9990, 100, 6}, {10000, 1, 6}, {-1, 1, 6}, {1 << 62, 5, 6},
	} {
		want := ""
		if tt.off >= 0 && tt.off < int64(len(text)) {
			want = text[tt.off:min(int(tt.off)+tt.n, len(text))]
		}
		got, err := w.At(tt.off, tt.n)
		if err != nil || string(got) != want || c.reads != tt.reads {
			t.Errorf("%d bytes at %d: %d of them, %v, after %d reads, want %d", tt.n, tt.off, len(got), err, c.reads, tt.reads)
		}
	}
}

func TestFileShorterThanItsSize(t *testing.T) {
	if _, err := NewWindow(strings.NewReader("short"), 10).At(0, 10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want an unexpected end", err)
	}
}
