// A writer that ends with its context, and says how far it is.

package checkpoint

import (
	"context"
	"io"

	"github.com/weightools/safetensors/internal/filecopy"
)

// An aliveWriter is a writer that fails once ctx is done.
type aliveWriter struct {
	ctx   context.Context
	w     io.Writer
	file  filecopy.Target // w, if it is a file; else nil
	wrote func(int64)     // nil if nobody wants to know
}

func newAliveWriter(ctx context.Context, w io.Writer, wrote func(int64)) *aliveWriter {
	return &aliveWriter{ctx, w, filecopy.To(w), wrote}
}

// Write writes a little at a time: a tensor in memory comes in one piece, of
// gigabytes perhaps.
func (w *aliveWriter) Write(b []byte) (n int, err error) {
	const piece = 4 << 20 // bytes
	for n < len(b) {
		if w.ctx.Err() != nil {
			return n, context.Cause(w.ctx)
		}
		m, err := w.w.Write(b[n:min(n+piece, len(b))])
		n += m
		w.tell(int64(m))
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// CopyFile copies from a file, which package safetensors has done a part at a time.
func (w *aliveWriter) CopyFile(src *filecopy.Source, off, n int64) (int64, error) {
	switch {
	case w.ctx.Err() != nil:
		return 0, context.Cause(w.ctx)
	case w.file == nil:
		return 0, nil
	}
	n, err := w.file.CopyFile(src, off, n)
	w.tell(n)
	return n, err
}

func (w *aliveWriter) tell(n int64) {
	if w.wrote != nil {
		w.wrote(n)
	}
}
