// Network file systems on Linux.

package filecopy

import (
	"os"
	"slices"
	"syscall"
)

// networks are the numbers of network file systems in linux/magic.h.
var networks = []uint32{
	0x6969,     // NFS
	0xFF534D42, // CIFS
	0xFE534D42, // SMB 2 and later
	0x00C36400, // Ceph
}

// isAway reports whether a file is on a network file system.
func isAway(f *os.File) bool {
	var s syscall.Statfs_t
	return syscall.Fstatfs(int(f.Fd()), &s) == nil && slices.Contains(networks, uint32(s.Type))
}
