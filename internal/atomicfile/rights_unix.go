// The permissions of files that replace others, on Unix.

//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// rights are taken over from replaced files: the owner of the first, and the permissions and extended attributes that
// all of them have.
type rights struct {
	perm     fs.FileMode
	uid, gid int // -1 if unknown
	attrs    attributes
}

// rightsOf returns the rights that the named files have in common, or nil if none exists. It follows links.
func rightsOf(names ...string) *rights {
	var r *rights
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		one := &rights{info.Mode().Perm(), -1, -1, attributesOf(name)}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			one.uid, one.gid = int(s.Uid), int(s.Gid)
		}
		if r == nil {
			r = one
			continue
		}
		r.narrow(one)
	}
	return r
}

// narrow takes away what the other does not allow.
func (r *rights) narrow(other *rights) {
	r.perm &= other.perm
	if r.gid != other.gid {
		r.perm = withoutGroup(r.perm)
	}
	if r.uid != other.uid {
		r.perm &^= 0o077
	}
	if !r.attrs.common(other.attrs) {
		r.perm &^= 0o077 // the mode shows what an access control list allows at most
	}
}

// withoutGroup returns permissions that give the group no more than others.
func withoutGroup(perm fs.FileMode) fs.FileMode { return perm & (^fs.FileMode(0o070) | perm&0o007<<3) }

// give gives a new file the rights. If the owner, the group or the access control list cannot be set, it grants fewer
// permissions. Only privileged processes can change the owner, and some file systems have no owners or attributes.
func (r *rights) give(f *os.File) {
	if r == nil {
		return
	}
	perm := r.perm
	_ = f.Chmod(perm & 0o700) // until the owner is the right one
	if r.uid >= 0 && !ownedBy(f, r.uid, r.gid) && f.Chown(r.uid, r.gid) != nil && f.Chown(-1, r.gid) != nil {
		perm = withoutGroup(perm) // the group is another
	}
	if !r.attrs.give(f.Name()) {
		perm &^= 0o077
	}
	_ = f.Chmod(perm)
}

// ownedBy reports whether a file has that owner and group.
func ownedBy(f *os.File, uid, gid int) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == uid && int(s.Gid) == gid
}
