// Progress on standard error.

package cli

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// ShowProgress prints p on standard error every second, if that is a terminal. The returned
// function stops it and clears the line.
func (s *Session) ShowProgress(p fmt.Stringer) (stop func()) {
	f, ok := s.Stderr.(*os.File)
	if s.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		const clear = "\r\x1b[K" // carriage return, clear to end of line
		shown := false
		for {
			select {
			case <-ticker.C:
				fmt.Fprint(f, clear+p.String())
				shown = true
			case <-end:
				if shown {
					fmt.Fprint(f, clear)
				}
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// A Progress counts the tensors and bytes processed so far. Its counters are safe for concurrent
// use.
type Progress struct {
	Tensors, Bytes         int64 // totals
	doneTensors, DoneBytes atomic.Int64
}

// Expect adds tensors to the totals.
func (p *Progress) Expect(list []*safetensors.Tensor) {
	for _, t := range list {
		p.Tensors++
		p.Bytes += t.Size()
	}
}

// Count adds one processed tensor of the given size.
func (p *Progress) Count(bytes int64) {
	p.doneTensors.Add(1)
	p.DoneBytes.Add(bytes)
}

// SetBytes sets the number of processed bytes, which the caller counts itself. A smaller number is
// ignored: of several goroutines, one may report late.
func (p *Progress) SetBytes(done int64) {
	for was := p.DoneBytes.Load(); done > was && !p.DoneBytes.CompareAndSwap(was, done); was = p.DoneBytes.Load() {
	}
}

func (p *Progress) String() string {
	if p.doneTensors.Load() == 0 && p.DoneBytes.Load() > 0 {
		return fmt.Sprintf("%s of %s", typeset.Bytes(p.DoneBytes.Load()), typeset.Bytes(p.Bytes))
	}
	return fmt.Sprintf("%s of %s, %s of %s", typeset.Count(p.doneTensors.Load()), typeset.Plural(p.Tensors, "tensor"),
		typeset.Bytes(p.DoneBytes.Load()), typeset.Bytes(p.Bytes))
}
