// Access control lists, attributes and owners of files that replace others.

package atomicfile

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// accessOf returns an access control list in the form of the kernel, by posix_acl_xattr.h: the owner and one user may
// read and write, the group nothing.
func accessOf(user uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 6, ^uint32(0)}, {2, 6, user}, {4, 0, ^uint32(0)}, {16, 6, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.perm)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return b
}

func setAttribute(t *testing.T, name, attr string, value []byte) {
	t.Helper()
	if err := syscall.Setxattr(name, attr, value, 0); err != nil {
		t.Skip(attr, err)
	}
}

func attribute(name, attr string) []byte {
	b := make([]byte, 1000)
	n, err := syscall.Getxattr(name, attr, b)
	if err != nil {
		return nil
	}
	return b[:n]
}

func TestReplacingFileHasTheAttributesOfTheReplaced(t *testing.T) {
	for way, replace := range map[string]func(dir, name string){
		"file": func(dir, name string) { write(t, filepath.Join(dir, name), "new") },
		"set": func(dir, name string) {
			if err := newSet(t, dir, "new", name, "index").Commit(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := folderOf(t, "m")
		name := filepath.Join(dir, "m")
		os.Chmod(name, 0o600)
		setAttribute(t, name, "user.origin", []byte("hf"))
		setAttribute(t, name, accessList, accessOf(1777))
		mode := modeOf(t, name)
		replace(dir, "m")
		holds(t, name, "new")
		if !bytes.Equal(attribute(name, accessList), accessOf(1777)) || string(attribute(name, "user.origin")) != "hf" {
			t.Errorf("%s: the list is %x, and the attribute %q", way, attribute(name, accessList), attribute(name, "user.origin"))
		}
		if got := modeOf(t, name); got != mode {
			t.Errorf("%s: mode %v, want %v", way, got, mode)
		}
	}
}

// A file of a new name has what all files have that it replaces.
func TestNewFileHasTheStrictestRights(t *testing.T) {
	dir := folderOf(t, "1", "2")
	one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	os.Chmod(one, 0o640)
	os.Chmod(two, 0o604)
	setAttribute(t, one, "user.origin", []byte("hf"))
	setAttribute(t, two, "user.origin", []byte("hf"))
	setAttribute(t, two, "user.other", []byte("x"))
	if os.Getuid() == 0 {
		os.Chown(one, 1234, 2345)
		os.Chown(two, 1234, 2345)
	}
	made := func(remove ...string) string {
		t.Helper()
		s, err := NewSet(dir, []string{"new"}, remove)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Abort()
		if err := writeOne(s, "new", "new"); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "new")
	}
	name := made("1", "2")
	lists(t, dir, "new")
	if got := modeOf(t, name); got != 0o600 {
		t.Errorf("mode %v", got)
	}
	if string(attribute(name, "user.origin")) != "hf" || attribute(name, "user.other") != nil {
		t.Errorf("attributes %q and %q", attribute(name, "user.origin"), attribute(name, "user.other"))
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); os.Getuid() == 0 && (s.Uid != 1234 || s.Gid != 2345) {
		t.Errorf("owner %d:%d", s.Uid, s.Gid)
	}
	// Nobody gets in by a list that only one of them has: its mask looks like permissions of the group.
	os.Rename(name, one)
	put(t, two, "old")
	os.Chmod(one, 0o660)
	setAttribute(t, two, accessList, accessOf(1777))
	if got := modeOf(t, made("1", "2")); got.Perm() != 0o600 {
		t.Errorf("mode %v of a file that replaces two of different lists", got)
	}
}

// A folder that gives every new file a list gives the replacing file none.
func TestListOfTheFolder(t *testing.T) {
	dir := folderOf(t, "m")
	name := filepath.Join(dir, "m")
	os.Chmod(name, 0o640)
	setAttribute(t, dir, "system.posix_acl_default", accessOf(1777))
	write(t, name, "new")
	if got := attribute(name, accessList); got != nil || modeOf(t, name) != fs.FileMode(0o640) {
		t.Errorf("list %x, mode %v", got, modeOf(t, name))
	}
}
