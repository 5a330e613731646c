// Free disk space on systems without releases, such as FreeBSD. There, commands write without comparing sizes first.

//go:build !linux && !darwin && !windows

package cli

// FreeSpace returns -1: the free space is unknown, and no notice is printed.
func FreeSpace(string) int64 { return -1 }
