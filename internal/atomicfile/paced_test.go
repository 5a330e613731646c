// Writing in step with the disk: the bytes are those that any writing gives.

package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors/internal/filecopy"
)

// pacedFile returns a file that takes the disk along every few bytes.
func pacedFile(t *testing.T, part int64) *paced {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "paced"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p := newPaced(f)
	p.part = part
	return p
}

func TestPacedFileHasWhatWasWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "source")
	all := make([]byte, 1<<20)
	for i := range all {
		all[i] = byte(i * i >> 3)
	}
	put(t, name, string(all))
	source, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	src := filecopy.Open(source) // nil where the system does not copy
	if src != nil {
		defer src.Close()
	}
	for _, part := range []int64{1, 4096, 100_000, 1 << 30} {
		p := pacedFile(t, part)
		var want []byte
		for range 40 {
			begin := rand.IntN(len(all))
			b := all[begin:min(len(all), begin+rand.IntN(100_000))]
			if part == 1 {
				b = b[:min(len(b), 20)]
			}
			var n int64
			switch rand.IntN(3) {
			case 0:
				n, err = p.ReadFrom(bytes.NewReader(b))
			case 1:
				if src != nil {
					n, err = p.CopyFile(src, int64(begin), int64(len(b)))
					break
				}
				fallthrough
			default:
				var m int
				m, err = p.Write(b)
				n = int64(m)
			}
			if n != int64(len(b)) || err != nil {
				t.Fatalf("wrote %d of %d bytes, %v", n, len(b), err)
			}
			want = append(want, b...)
		}
		if got, err := os.ReadFile(p.file.Name()); !bytes.Equal(got, want) || err != nil {
			t.Errorf("in parts of %d: %d bytes, not these %d, %v", part, len(got), len(want), err)
		}
		if p.size != int64(len(want)) || p.size-p.begun >= part {
			t.Errorf("in parts of %d: the disk has begun with %d of %d bytes", part, p.begun, p.size)
		}
	}
}

func TestErrorsOfPacedFiles(t *testing.T) {
	p := pacedFile(t, 4)
	p.file.Close()
	if n, err := p.Write([]byte("12345678")); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write: %d, %v", n, err)
	}
	if n, err := p.ReadFrom(io.LimitReader(zeros{}, 8)); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
