// Standard output that was closed by a shell.

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// OrClosed returns stdout, or a writer that fails if a shell has closed descriptor 1, as in "weigh x >&-". At the start
// of a program, Go opens /dev/null in place of a closed descriptor, so output would be lost without an error. It opens
// it for reading, too, which shells do not, but Python and others. So the parent must be a shell that has another
// output.
func OrClosed(stdout io.Writer) io.Writer {
	const null = "/dev/null"
	flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, 1, syscall.F_GETFL, 0)
	if name, err := os.Readlink("/proc/self/fd/1"); err != nil || name != null || flags&syscall.O_ACCMODE != syscall.O_RDWR {
		return stdout
	}
	parent := fmt.Sprintf("/proc/%d/", os.Getppid())
	name, err := os.ReadFile(parent + "comm")
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(name)), "sh") {
		return stdout
	}
	// Some shells close their own output while the command runs.
	if name, err := os.Readlink(parent + "fd/1"); name == null || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stdout
	}
	return closedOutput{}
}

// A closedOutput is standard output that was closed.
type closedOutput struct{}

// Write implements io.Writer.
func (closedOutput) Write([]byte) (int, error) { return 0, errClosedOutput }

// errClosedOutput is the error of writing to it.
var errClosedOutput = errors.New("standard output is closed: send it to a file, a pipe or /dev/null")
