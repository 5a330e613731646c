// A digest that is made of reads of several goroutines.

package hashing

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

// Blocks of any size are read by several goroutines, which take them in order.
func TestDigesterIsInOrder(t *testing.T) {
	content := make([]byte, 1<<20)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	h := sha256.New()
	d := NewReader(bytes.NewReader(content), h)
	var mu sync.Mutex
	next := 0
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				mu.Lock()
				begin, size := next, 1+rand.IntN(5000)
				next = min(begin+size, len(content))
				end := next
				mu.Unlock()
				if begin == end {
					return
				}
				block := make([]byte, end-begin)
				if n, err := d.ReadAt(block, int64(begin)); n < len(block) || !bytes.Equal(block, content[begin:end]) {
					t.Errorf("read %d bytes, %v", n, err)
					return
				}
			}
		})
	}
	readers.Wait()
	if want := sha256.Sum256(content); !bytes.Equal(h.Sum(nil), want[:]) {
		t.Error("it is another digest")
	}
}

// A failing reader fails from one byte on.
type failingReader struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("the disk is gone")

func (r *failingReader) ReadAt(b []byte, off int64) (int, error) {
	if off >= r.from {
		return 0, errDisk
	}
	return r.Reader.ReadAt(b, off)
}

// A read that waits for bytes that will never be digested ends.
func TestDigesterEnds(t *testing.T) {
	d := NewReader(&failingReader{bytes.NewReader(make([]byte, 300)), 100}, sha256.New())
	ended := make(chan error)
	go func() {
		_, err := d.ReadAt(make([]byte, 50), 50) // waits for the first 50
		ended <- err
	}()
	if _, err := d.ReadAt(make([]byte, 100), 200); !errors.Is(err, errDisk) {
		t.Errorf("a read that fails: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("a read of bytes before which some are missing succeeded")
	}
	if _, err := io.ReadAll(io.NewSectionReader(d, 0, 50)); err == nil {
		t.Error("a read after one that failed succeeded")
	}
}
