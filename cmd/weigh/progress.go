// Progress: how far the program is, for those who wait.

package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// watch shows what p says on standard error, if that is a terminal, from the first
// second on. What it returns ends that, and clears the line.
func (a *app) watch(p fmt.Stringer) (stop func()) {
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
