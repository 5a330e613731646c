// A writer with a context and progress.

package filecopy

import (
	"context"
	"io"
)

// A watched writer fails when ctx is done.
type watched struct {
	ctx   context.Context
	w     io.Writer
	file  Target      // w if it is a file, or nil
	wrote func(int64) // may be nil
}

// Watch returns a writer that writes to w until ctx is done, and then fails with its cause. It
// calls wrote, unless nil, with the number of bytes of each part. If w is a file, the writer is a
// Target.
func Watch(ctx context.Context, w io.Writer, wrote func(int64)) io.Writer {
	return &watched{ctx, w, To(w), wrote}
}

// Write writes in small pieces, because b may have gigabytes.
func (w *watched) Write(b []byte) (n int, err error) {
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

// CopyFile implements [Target]. Package safetensors calls it for one part at a time.
func (w *watched) CopyFile(src *Source, off, n int64) (int64, error) {
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

func (w *watched) tell(n int64) {
	if w.wrote != nil {
		w.wrote(n)
	}
}
