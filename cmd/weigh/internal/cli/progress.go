// Progress on standard error.

package cli

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// ShowProgress prints p on standard error twice a second, if that is a terminal: a [*Progress] with a
// bar, the rate and the time left, as far as the terminal is wide enough. The returned function stops
// it and clears the line.
func (s *Session) ShowProgress(p fmt.Stringer) (stop func()) {
	f, ok := s.Stderr.(*os.File)
	if s.Quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second / 2)
		defer ticker.Stop()
		const clear = "\r\x1b[K" // carriage return, clear to end of line
		shown, speed := false, &pace{[]sample{{at: time.Now()}}}
		for {
			select {
			case now := <-ticker.C:
				width, _, err := term.GetSize(int(f.Fd()))
				if err != nil || width <= 0 {
					width = 80
				}
				fmt.Fprint(f, clear+speed.line(p, width-1, now)) // some terminals wrap a full line
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

// ShowWriting is ShowProgress for a command that writes files. From then on, the program ignores SIGPIPE: a closed
// pipe must not end it while it replaces files.
func (s *Session) ShowWriting(p fmt.Stringer) (stop func()) {
	signal.Ignore(syscall.SIGPIPE)
	return s.ShowProgress(p)
}

// A Progress counts the tensors and bytes processed so far. Its counters are safe for concurrent
// use.
type Progress struct {
	Done           string       // what is done with bytes, such as " written"
	Tensors        int64        // total
	Bytes          atomic.Int64 // total
	done, doneSize atomic.Int64 // tensors and bytes
	skipped        atomic.Int64 // bytes that were there before
}

// Expect adds tensors to the totals.
func (p *Progress) Expect(list []*safetensors.Tensor) {
	for _, t := range list {
		p.Tensors++
		p.Bytes.Add(t.Size())
	}
}

// Count adds one processed tensor of the given size.
func (p *Progress) Count(bytes int64) {
	p.done.Add(1)
	p.doneSize.Add(bytes)
}

// Skip adds bytes that were there before, which say nothing about the rate.
func (p *Progress) Skip(bytes int64) {
	p.skipped.Add(bytes)
	p.doneSize.Add(bytes)
}

// Add adds processed bytes of unfinished tensors.
func (p *Progress) Add(bytes int64) { p.doneSize.Add(bytes) }

// At sets the number of processed bytes, which the caller counts itself, and their total. A smaller
// number is ignored: of several goroutines, one may report late.
func (p *Progress) At(done, total int64) {
	p.Bytes.Store(total)
	for was := p.doneSize.Load(); done > was && !p.doneSize.CompareAndSwap(was, done); was = p.doneSize.Load() {
	}
}

// String returns the progress as one line.
func (p *Progress) String() string {
	text := fmt.Sprintf("%s of %s%s", typeset.Bytes(p.doneSize.Load()), typeset.Bytes(p.Bytes.Load()), p.Done)
	if p.Tensors == 0 || p.done.Load() == 0 && p.doneSize.Load() > 0 {
		return text
	}
	return fmt.Sprintf("%s of %s, %s", typeset.Count(p.done.Load()), typeset.Plural(p.Tensors, "tensor"), text)
}
