// What is read from front to back, at any offset.

package strided

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
)

func TestForward(t *testing.T) {
	const text = "0123456789abcdef"
	opened := 0
	f := &Sequential{Damaged: damaged, Size: int64(len(text)), Open: func() (io.Reader, error) {
		opened++
		return strings.NewReader(text), nil
	}}
	for _, k := range []struct {
		off    int64
		n      int
		want   string
		opened int
		err    error
	}{
		{0, 4, "0123", 1, nil},
		{4, 4, "4567", 1, nil}, // where it is
		{10, 2, "ab", 1, nil},  // further on
		{2, 3, "234", 2, nil},  // back
		{14, 4, "ef", 2, io.EOF},
		{16, 1, "", 2, io.EOF},
		{-1, 1, "", 2, io.EOF},
	} {
		b := make([]byte, k.n)
		n, err := f.ReadAt(b, k.off)
		if string(b[:n]) != k.want || err != k.err || opened != k.opened {
			t.Errorf("%d bytes at %d: %q, %v, opened %d times", k.n, k.off, b[:n], err, opened)
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			b := make([]byte, 2)
			if _, err := f.ReadAt(b, int64(2*i)); err != nil && err != io.EOF || string(b) != text[2*i:2*i+2] {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
	all.Wait()
}

// TestForwardThatIsShorter: less than is claimed is damage, and other errors are of
// reading.
func TestForwardThatIsShorter(t *testing.T) {
	f := &Sequential{Damaged: damaged, Size: 100,
		Open: func() (io.Reader, error) { return strings.NewReader("0123"), nil }}
	if n, err := f.ReadAt(make([]byte, 10), 0); n != 4 || !errors.Is(err, errDamaged) {
		t.Errorf("%d, %v", n, err)
	}
	broken := errors.New("the cable is out")
	f.Open = func() (io.Reader, error) { return io.MultiReader(strings.NewReader("01"), failing{broken}), nil }
	if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, broken) || errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// errDamaged is the error of data that ends early.
var errDamaged = errors.New("damaged")

func damaged(int64) error { return errDamaged }
