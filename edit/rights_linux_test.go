// What Linux alone has: rights that one thread gives up, and a disk that is small.

package edit_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
)

// unprivileged calls f as a user whom file modes stop, and who owns dir and what is in
// it.
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
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range append(names, dir) {
		if err := os.Chown(name, nobody, nobody); err != nil {
			t.Skip(err)
		}
	}
	// The rights are those of this thread alone, and come back with the last call.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.Setfsuid(nobody)
	defer syscall.Setfsuid(0)
	f()
}

func TestReadOnlyFolder(t *testing.T) {
	for name, src := range map[string]string{
		"a file without room": write(t, safetensors.Encoder{}, model()...),
		"a set":               sharded(t),
	} {
		dir := src
		if strings.HasSuffix(src, ".safetensors") {
			dir = filepath.Dir(src)
		}
		unprivileged(t, dir, func() {
			unchanged(t, dir, func() {
				os.Chmod(dir, 0o555)
				defer os.Chmod(dir, 0o777)
				if _, err := setting("a", "b").InPlace(t.Context(), src); !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s: %v", name, err)
				}
				other := filepath.Join(dir, "new.safetensors")
				if _, err := setting("a", "b").Write(t.Context(), src, other); !errors.Is(err, fs.ErrPermission) && !errors.Is(err, edit.ErrRefused) {
					t.Errorf("%s, to another name: %v", name, err)
				}
			})
		})
	}
}

// Overwriting takes the right to write to the file, and none to its folder.
func TestRoomInAReadOnlyFolder(t *testing.T) {
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: true}, model()...)
	dir := filepath.Dir(src)
	unprivileged(t, dir, func() {
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o777)
		if r := inPlace(t, setting("a", "new"), src); r.Files[0].Action != edit.Overwritten {
			t.Errorf("the file was %s", r.Files[0].Action)
		}
	})
}

// A file that may not be written is not replaced either, though its folder would allow
// for that.
func TestReadOnlyFile(t *testing.T) {
	for _, slack := range []bool{false, true} {
		src := write(t, safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: slack}, model()...)
		dir := filepath.Dir(src)
		unprivileged(t, dir, func() {
			unchanged(t, dir, func() {
				os.Chmod(src, 0o444)
				if _, err := setting("a", "new").InPlace(t.Context(), src); !errors.Is(err, fs.ErrPermission) {
					t.Errorf("with slack %t: %v", slack, err)
				}
			})
		})
	}
	// Of a set in which one may not be written, none is.
	dir := sharded(t)
	inPlace(t, setting("a", "old"), dir)
	unprivileged(t, dir, func() {
		unchanged(t, dir, func() {
			os.Chmod(filepath.Join(dir, threeShards[2]), 0o444)
			if _, err := setting("a", "new").InPlace(t.Context(), dir); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("a set: %v", err)
			}
		})
	})
}

func TestUnreadableFile(t *testing.T) {
	src := write(t, safetensors.Encoder{}, model()...)
	unprivileged(t, filepath.Dir(src), func() {
		os.Chmod(src, 0)
		defer os.Chmod(src, 0o666)
		if _, err := setting("a", "b").InPlace(t.Context(), src); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v", err)
		}
	})
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96k"); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	src := filepath.Join(dir, "model.safetensors")
	e := safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: true}
	if err := e.WriteFile(src, tensor("t", safetensors.U8, numbered(0, 60_000))); err != nil {
		t.Fatal(err)
	}
	unchanged(t, dir, func() {
		var path *fs.PathError
		for _, target := range []string{"", filepath.Join(dir, "new.safetensors")} {
			var err error
			if e := (&edit.Edit{Rename: []edit.Rename{rename(t, "t=>x")}}); target == "" {
				_, err = e.InPlace(t.Context(), src)
			} else {
				_, err = e.Write(t.Context(), src, target)
			}
			if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path) {
				t.Errorf("to %q: %v", target, err)
			}
		}
	})
	inPlace(t, setting("a", "new"), src) // which needs no room on the disk
}
