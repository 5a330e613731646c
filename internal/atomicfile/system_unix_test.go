// Modes, owners, pipes and devices.

//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestNewFileHasTheModeOfAnyNewFile(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	put(t, plain, "")
	write(t, filepath.Join(dir, "m"), "")
	if got, want := modeOf(t, filepath.Join(dir, "m")), modeOf(t, plain); got != want {
		t.Errorf("mode %v, want %v", got, want)
	}
}

func TestReplacingFileHasTheModeOfTheReplaced(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o666, 0o755, 0o777} {
		dir := t.TempDir()
		name := filepath.Join(dir, "m")
		put(t, name, "old")
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		f, err := Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, f.temp); got&^mode != 0 {
			t.Errorf("while it is written the file allows %v, and the old one %v", got, mode)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := modeOf(t, name); got != mode {
			t.Errorf("mode %v, want %v", got, mode)
		}
	}
}

func TestReplacingFileHasTheOwnerOfTheReplaced(t *testing.T) {
	const owner, group = 12345, 54321
	name := filepath.Join(t.TempDir(), "m")
	put(t, name, "old")
	if err := os.Chown(name, owner, group); err != nil {
		t.Skipf("only a privileged process can give files away: %v", err)
	}
	write(t, name, "new")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != owner || s.Gid != group {
		t.Errorf("owner %d:%d, want %d:%d", s.Uid, s.Gid, owner, group)
	}
}

func TestHardLinksKeepTheOldBytes(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "m"), filepath.Join(dir, "other")
	put(t, name, "old")
	if err := os.Link(name, other); err != nil {
		t.Skipf("no hard links: %v", err)
	}
	write(t, name, "new")
	holds(t, name, "new")
	holds(t, other, "old")
}

func TestReadersKeepTheOldBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m")
	put(t, name, "old")
	r, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	write(t, name, "newer")
	if got, err := io.ReadAll(r); string(got) != "old" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestNamedPipeIsWrittenStraight(t *testing.T) {
	for _, create := range []func(string) (*File, error){Create, CreateNew} {
		dir := t.TempDir()
		name := filepath.Join(dir, "pipe")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skipf("no named pipes: %v", err)
		}
		read := make(chan string)
		go func() {
			b, _ := os.ReadFile(name)
			read <- string(b)
		}()
		f, err := create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "through the pipe")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "through the pipe" {
			t.Errorf("read %q", got)
		}
		lists(t, dir, "pipe")
		if modeOf(t, name)&fs.ModeNamedPipe == 0 {
			t.Error("the pipe is no pipe any more")
		}
	}
}

func TestDeviceIsWrittenStraight(t *testing.T) {
	before := modeOf(t, os.DevNull)
	write(t, os.DevNull, "nothing")
	if after := modeOf(t, os.DevNull); after != before {
		t.Errorf("%s was %v and is %v", os.DevNull, before, after)
	}
	f, err := Create(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Error(err)
	}
	if after := modeOf(t, os.DevNull); after != before {
		t.Errorf("%s was %v and is %v", os.DevNull, before, after)
	}
}

func TestFullDeviceIsAnError(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	f, err := Create("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "x"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Write: %v", err)
	}
	if err := f.Commit(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Commit: %v", err)
	}
}
