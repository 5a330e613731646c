// Memory that was not cleared: nothing of what it held is ever seen.

package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/weightools/safetensors"
)

// dirty fills memory of the given size with secrets, and gives it back.
func dirty(size int) {
	for range 8 {
		b := bytes.Repeat([]byte("secret"), size/6)
		runtime.KeepAlive(b)
	}
	runtime.GC()
}

// TestReadIntoUsedMemory reads tensors of sizes around those from which on memory is
// not cleared.
func TestReadIntoUsedMemory(t *testing.T) {
	eachWay(t, func(t *testing.T, o safetensors.Opener) {
		for _, size := range []int{64<<10 - 8, 64 << 10, 1 << 20, 1<<20 + 8} {
			want := make([]byte, size) // zeros, as a hole in a file has
			f, err := o.Open(onDisk(t, encoded(t, safetensors.Encoder{}, handMade("a", safetensors.U64, want, int64(size/8)))))
			if err != nil {
				t.Fatal(err)
			}
			tensor, err := f.Tensor("a")
			if err != nil {
				t.Fatal(err)
			}
			dirty(size)
			if got, err := tensor.Bytes(); err != nil || !bytes.Equal(got, want) || len(got) != size {
				t.Errorf("%d bytes: %d bytes that are not all zero, %v", size, len(got), err)
			}
			dirty(size)
			numbers, err := safetensors.Read[uint64](tensor)
			if err != nil || len(numbers) != size/8 {
				t.Errorf("%d bytes: %d numbers, %v", size, len(numbers), err)
			}
			for i, n := range numbers {
				if n != 0 {
					t.Fatalf("%d bytes: number %d is %#x", size, i, n)
				}
			}
			f.Close()
		}
	})
}

// TestWhatWasNotReadIsNotSeen has a file that ends early, and a reader that lies.
func TestWhatWasNotReadIsNotSeen(t *testing.T) {
	const size = 1 << 20
	tensor := handMade("a", safetensors.U8, make([]byte, size), size)
	name := onDisk(t, encoded(t, safetensors.Encoder{}, tensor))
	f, err := safetensors.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(name, size/2); err != nil {
		t.Skip(err)
	}
	cut, err := f.Tensor("a")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := cut.Bytes(); b != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %d bytes, %v", len(b), err)
	}
	if b, err := safetensors.Read[uint8](cut); b != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that ends early: %d numbers, %v", len(b), err)
	}
	tensor.ReaderAt = lying{}
	dirty(size)
	if b, err := tensor.Bytes(); err != nil || bytes.Contains(b, []byte("secret")) {
		t.Errorf("a reader that reads nothing gives away what was there before, %v", err)
	}
}

// lying is a reader that claims to have read.
type lying struct{}

func (lying) ReadAt(b []byte, _ int64) (int, error) { return len(b), nil }
