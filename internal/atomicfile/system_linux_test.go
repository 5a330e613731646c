// What Linux alone has: rights that one thread gives up, a disk so small that it
// is full, and descriptors that can be opened by name.

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// unprivileged calls f as a user whom file modes stop, and who owns dir.
func unprivileged(t *testing.T, dir string, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Skip(err)
	}
	// The system calls that f makes are those of this thread, whose rights alone
	// change, and they come back with the last call.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.Setfsuid(nobody)
	defer syscall.Setfsuid(0)
	f()
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	unprivileged(t, dir, func() {
		put(t, name, "old")
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o777)
		for _, name := range []string{name, filepath.Join(dir, "new")} {
			var path *fs.PathError
			if _, err := Create(name); !errors.Is(err, fs.ErrPermission) || !errors.As(err, &path) || path.Path != name {
				t.Errorf("Create(%q): %v", name, err)
			}
		}
	})
	holds(t, name, "old")
	lists(t, dir, "m")
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	unprivileged(t, dir, func() {
		put(t, name, "old")
		os.Chmod(name, 0o444)
		if _, err := Create(name); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Create: %v", err)
		}
	})
	holds(t, name, "old")
	lists(t, dir, "m")
}

func TestFolderThatCannotBeListed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "m")
	unprivileged(t, dir, func() {
		os.Chmod(dir, 0o333)
		defer os.Chmod(dir, 0o777)
		write(t, name, "new")
	})
	holds(t, name, "new")
}

// A shell that redirects output to a file has opened it. To replace that file
// would leave the shell, and the commands after this one, with one that has no
// name.
func TestDescriptorIsWrittenStraight(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip(err)
	}
	path, isDescriptor, err := follow("/dev/stdout")
	if !isDescriptor || err != nil {
		t.Errorf("/dev/stdout is %q, a descriptor: %v, %v", path, isDescriptor, err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "redirected"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	io.WriteString(file, "older than the new, and longer")
	name := filepath.Join("/dev/fd", strconv.Itoa(int(file.Fd())))
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	write(t, name, "new")
	got := make([]byte, 100)
	n, _ := file.ReadAt(got, 0)
	if string(got[:n]) != "new" {
		t.Errorf("behind the descriptor is %q", got[:n])
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	name := filepath.Join(dir, "m")
	write(t, name, "old")
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write(make([]byte, 1<<20)); !errors.Is(err, syscall.ENOSPC) || n > 64<<10 {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	if err := f.Commit(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Commit: %v", err)
	}
	holds(t, name, "old")
	lists(t, dir, "m")
}
