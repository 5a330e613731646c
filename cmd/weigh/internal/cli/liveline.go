// The line on standard error that shows progress, and messages between its updates.

package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// clearLine is a carriage return, and the command to clear to the end of the line.
const clearLine = "\r\x1b[K"

// A liveLine is a line at the bottom of a terminal that changes. Output of the program removes it first.
type liveLine struct {
	tty *os.File // nil without a terminal

	mu    sync.Mutex
	shown bool
}

// newLiveLine returns the line of w, which shows nothing if w is no terminal.
func newLiveLine(w io.Writer) *liveLine {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		f = nil
	}
	return &liveLine{tty: f}
}

// show replaces the line by what text returns for the terminal's width.
func (l *liveLine) show(text func(columns int) string) {
	width, _, err := term.GetSize(int(l.tty.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.tty, clearLine+text(width-1)) // some terminals wrap a full line
	l.shown = true
}

// remove removes the line before other output. A nil line shows nothing.
func (l *liveLine) remove() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
	}
}

// clear removes the line. The caller holds mu.
func (l *liveLine) clear() {
	if l.shown {
		io.WriteString(l.tty, clearLine)
		l.shown = false
	}
}

// follow shows a progress now and then, until the returned function is called, which removes the line.
func (l *liveLine) follow(p *Progress) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second / 2)
		defer ticker.Stop()
		speed := &pace{[]sample{{at: time.Now()}}}
		for {
			select {
			case now := <-ticker.C:
				l.show(func(columns int) string { return speed.line(p, columns, now) })
			case <-end:
				l.remove()
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// A message writes to a stream of the program, below which there may be a live line.
type message struct {
	io.Writer
	line *liveLine
}

// Write removes the line and writes b.
func (m message) Write(b []byte) (int, error) {
	m.line.mu.Lock()
	defer m.line.mu.Unlock()
	m.line.clear()
	return m.Writer.Write(b)
}
