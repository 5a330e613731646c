// Counting side by side: order, errors, interruption.

package look

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/stats"
)

// bytesTensor returns a U8 tensor.
func bytesTensor(name string, b []byte) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: name, Dtype: safetensors.U8, Shape: []int64{int64(len(b))}, Offsets: safetensors.Span{End: int64(len(b))}},
		ReaderAt:   bytes.NewReader(b),
	}
}

func TestCountKeepsTheOrder(t *testing.T) {
	var list []*safetensors.Tensor
	for i := range 100 {
		// The first take longest.
		list = append(list, bytesTensor(fmt.Sprint(i), bytes.Repeat([]byte{byte(i)}, 100_000/(i+1))))
	}
	rows, err := countTensors(t.Context(), new(cli.Session), stats.Counter{}, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if r.Name != fmt.Sprint(i) || r.Summary.Max.Float64() != float64(i) {
			t.Errorf("row %d is of %q, whose largest number is %v", i, r.Name, r.Summary.Max)
		}
	}
}

// failing is a source that cannot be read.
type failing struct{ error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.error }

func TestCountEndsWithAnError(t *testing.T) {
	gone := errors.New("the disk is gone")
	bad := bytesTensor("bad", []byte{1})
	bad.ReaderAt = failing{gone}
	if _, err := countTensors(t.Context(), new(cli.Session), stats.Counter{}, []*safetensors.Tensor{bytesTensor("good", []byte{1}), bad}); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

// waiting is a source that cannot be read before another was: then it ends as its
// context does.
type waiting struct {
	failed <-chan struct{}
	io.ReaderAt
}

func (w waiting) ReadAt(b []byte, off int64) (int, error) {
	<-w.failed
	return w.ReaderAt.ReadAt(b, off)
}

// told is a source that cannot be read, and says when that was found out.
type told struct {
	error
	failed chan<- struct{}
}

func (f told) ReadAt([]byte, int64) (int, error) {
	close(f.failed)
	return 0, f.error
}

// A tensor that is stopped for the sake of another's error has none of its own,
// though it comes first in the list.
func TestCountTellsErrorsFromTheirConsequences(t *testing.T) {
	gone := errors.New("the disk is gone")
	failed := make(chan struct{})
	good, bad := bytesTensor("good", make([]byte, 8<<20)), bytesTensor("bad", []byte{1})
	good.ReaderAt, bad.ReaderAt = waiting{failed, good.ReaderAt}, told{gone, failed}
	if _, err := countTensors(t.Context(), new(cli.Session), stats.Counter{}, []*safetensors.Tensor{good, bad}); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

func TestCountCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := countTensors(ctx, new(cli.Session), stats.Counter{}, []*safetensors.Tensor{bytesTensor("x", []byte{1})}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
