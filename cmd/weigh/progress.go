// Progress: how far the program is, for those who wait.

package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"golang.org/x/term"
)

// watch shows what p says on standard error, if that is a terminal, from the first
// second on. What it returns ends that, and clears the line.
func (a *session) watch(p fmt.Stringer) (stop func()) {
	f, ok := a.stderr.(*os.File)
	if a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
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

// A progress is how much of some tensors was counted.
type progress struct {
	tensors, bytes         int64 // in all
	doneTensors, doneBytes atomic.Int64
}

// expect adds tensors that are to be counted.
func (p *progress) expect(list []*safetensors.Tensor) {
	for _, t := range list {
		p.tensors++
		p.bytes += t.Size()
	}
}

// count adds one more tensor of so many bytes.
func (p *progress) count(bytes int64) {
	p.doneTensors.Add(1)
	p.doneBytes.Add(bytes)
}

// String says how far it is.
func (p *progress) String() string {
	return fmt.Sprintf("%s of %s, %s of %s", typeset.Count(p.doneTensors.Load()), typeset.Plural(p.tensors, "tensor"),
		typeset.Bytes(p.doneBytes.Load()), typeset.Bytes(p.bytes))
}
