// Free disk space on Windows.

package cli

import "golang.org/x/sys/windows"

// FreeSpace returns the free bytes of the disk that holds dir, or -1 if unknown.
func FreeSpace(dir string) int64 {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return -1
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return -1
	}
	return int64(min(free, 1<<62))
}
