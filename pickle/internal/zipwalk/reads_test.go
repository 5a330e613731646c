// Reads of a walk: their number, and errors.

package zipwalk

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestReadsLittle checks that a walk reads only the end, the directory and the head of each content.
func TestReadsLittle(t *testing.T) {
	const size = 10 << 20
	large := strings.Repeat("x", size)
	b := stored(t, file{"a/1", large}, file{"a/2", large}, file{"a/3", large})
	counted := &counter{r: bytes.NewReader(b)}
	if _, err := Walk(counted, int64(len(b)), &Options{Head: 64}); err != nil {
		t.Fatal(err)
	}
	if counted.bytes > 128<<10 || counted.reads > 10 {
		t.Errorf("%d bytes were read in %d reads", counted.bytes, counted.reads)
	}
}

// A counter counts reads and their bytes.
type counter struct {
	r     io.ReaderAt
	bytes int
	reads int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.bytes += len(b)
	c.reads++
	return c.r.ReadAt(b, off)
}

// TestErrorsOfReading checks that errors of the reader are returned and are not faults of the archive.
func TestErrorsOfReading(t *testing.T) {
	b := two(t)
	for limit := range 3 {
		_, err := Walk(&failing{bytes.NewReader(b), limit}, int64(len(b)), nil)
		if err != io.ErrNoProgress {
			t.Errorf("after %d reads: %v", limit, err)
		}
	}
	if _, err := Walk(bytes.NewReader(b), int64(len(b))+10, nil); err == nil {
		t.Error("a file that is shorter than its size is no error")
	}
}

// A failing reader returns an error after a number of reads.
type failing struct {
	r    io.ReaderAt
	left int
}

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, io.ErrNoProgress
	}
	return f.r.ReadAt(b, off)
}
