// Free disk space on Unix.

//go:build linux || darwin

package cli

import (
	"math"

	"golang.org/x/sys/unix"
)

// FreeSpace returns the free bytes of the disk that holds dir, or -1 if unknown.
func FreeSpace(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	const btrfs = 0x9123683E
	if s.Type == btrfs {
		return math.MaxInt64 // copies share blocks with their sources, and the number is an estimate
	}
	return int64(min(uint64(s.Bavail)*uint64(s.Bsize), 1<<62))
}
