// Extended attributes of files on Linux, and the access control list, which is one.

package atomicfile

import (
	"bytes"
	"strings"
	"syscall"
)

// attributes are the extended attributes of a file.
type attributes map[string][]byte

// accessList is the attribute that has the POSIX access control list.
const accessList = "system.posix_acl_access"

// attributesOf returns the attributes of a file that another can take over. Security attributes are left out, except
// SELinux labels: they depend on the bytes of the file, or give a program privileges.
func attributesOf(name string) attributes {
	all := make(attributes)
	list := grow(func(b []byte) (int, error) { return syscall.Listxattr(name, b) })
	for attr := range strings.SplitSeq(string(list), "\x00") {
		if attr == "" || strings.HasPrefix(attr, "security.") && attr != "security.selinux" {
			continue
		}
		all[attr] = grow(func(b []byte) (int, error) { return syscall.Getxattr(name, attr, b) })
	}
	return all
}

// grow returns what read puts into a buffer that is large enough, which read returns for an empty one. The kernel
// has a limit of 64 KiB.
func grow(read func([]byte) (int, error)) []byte {
	n, err := read(nil)
	if err != nil || n == 0 {
		return nil
	}
	b := make([]byte, n)
	if n, err = read(b); err != nil {
		return nil
	}
	return b[:n]
}

// common leaves the attributes that others have too. It returns false if the access control lists differ.
func (a attributes) common(others attributes) bool {
	same := bytes.Equal(a[accessList], others[accessList])
	for attr, value := range a {
		if other, has := others[attr]; !has || !bytes.Equal(value, other) {
			delete(a, attr)
		}
	}
	return same
}

// give sets the attributes of a new file. It returns false if the access control list cannot be set.
func (a attributes) give(name string) bool {
	if _, has := a[accessList]; !has {
		// A folder may give every new file a list.
		_ = syscall.Removexattr(name, accessList)
	}
	ok := true
	for attr, value := range a {
		if syscall.Setxattr(name, attr, value, 0) != nil && attr == accessList {
			ok = false
		}
	}
	return ok
}
