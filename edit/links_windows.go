// The number of hard links of a file, on Windows.

package edit

import (
	"os"
	"syscall"
)

// hasOneName reports whether a file is known to have no other hard link.
func hasOneName(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return false, nil // the file system does not report it
	}
	return info.NumberOfLinks == 1, nil
}
