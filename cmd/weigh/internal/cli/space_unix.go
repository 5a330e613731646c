// How much room a disk has, as Unix says it.

//go:build linux || darwin

package cli

import "golang.org/x/sys/unix"

// FreeSpace returns how many bytes the user may yet write to the disk of a folder, or -1
// if that is not known.
func FreeSpace(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(min(uint64(s.Bavail)*uint64(s.Bsize), 1<<62))
}
