// How many names a file has, on Windows.

package edit

import (
	"os"
	"syscall"
)

// hasOneName says whether a file is known to have no other name, by a hard link.
func hasOneName(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return false, nil // a file system that does not tell
	}
	return info.NumberOfLinks == 1, nil
}
