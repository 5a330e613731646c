// Progress: how far the program is, for those who wait.

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

// ShowProgress shows what p says on standard error, if that is a terminal, from the first
// second on. What it returns ends that, and clears the line.
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
		const clear = "\r\x1b[K" // the cursor to the left, and the line empty
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

// A Progress is how much of some tensors was counted.
type Progress struct {
	Tensors, Bytes         int64 // in all
	doneTensors, DoneBytes atomic.Int64
}

// Expect adds tensors that are to be counted.
func (p *Progress) Expect(list []*safetensors.Tensor) {
	for _, t := range list {
		p.Tensors++
		p.Bytes += t.Size()
	}
}

// Count adds one more tensor of so many bytes.
func (p *Progress) Count(bytes int64) {
	p.doneTensors.Add(1)
	p.DoneBytes.Add(bytes)
}

// String says how far it is.
func (p *Progress) String() string {
	return fmt.Sprintf("%s of %s, %s of %s", typeset.Count(p.doneTensors.Load()), typeset.Plural(p.Tensors, "tensor"),
		typeset.Bytes(p.DoneBytes.Load()), typeset.Bytes(p.Bytes))
}
