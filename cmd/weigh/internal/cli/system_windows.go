// What is particular to Windows.

package cli

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// enableColors makes the console act on escape sequences, and says whether it
// does: before Windows 10 it cannot.
func enableColors(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// readerGone reports whether a write failed because the reader of a pipe has ended.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
