package compare

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// The readers have more than one buffer of bytes.
func TestFirst(t *testing.T) {
	const size = 2<<20 + 100
	reader := func(at int) io.ReaderAt {
		b := bytes.Repeat([]byte{1}, size)
		if at >= 0 {
			b[at] = 2
		}
		return bytes.NewReader(b)
	}
	for _, at := range []int64{-1, 0, 1<<19 - 1, 1 << 19, size - 1} {
		var seen int64
		got, err := First(t.Context(), reader(-1), reader(int(at)), size, func(part []byte) { seen += int64(len(part)) })
		if got != at || err != nil {
			t.Errorf("the readers differ at %d, %v, want %d", got, err, at)
		}
		if at < 0 && seen != size || at >= 0 && seen > at {
			t.Errorf("each got %d bytes of readers that differ at %d", seen, at)
		}
	}
	if _, err := First(t.Context(), reader(-1), reader(-1), size+1, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("readers that end early: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := First(ctx, reader(-1), reader(-1), size, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
