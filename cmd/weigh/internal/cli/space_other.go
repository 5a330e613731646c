// Free space on disk, on systems for which it is not implemented.

//go:build !linux && !darwin && !windows

package cli

// FreeSpace returns -1: it is not known.
func FreeSpace(string) int64 { return -1 }
