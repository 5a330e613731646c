// How much room a disk has, as Windows says it.

package cli

import "golang.org/x/sys/windows"

// FreeSpace returns how many bytes the user may yet write to the disk of a folder, or -1
// if that is not known.
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
