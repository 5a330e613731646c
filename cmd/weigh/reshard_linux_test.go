// Full disks and read-only files, which Linux can make even for root.

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

func TestFullDiskLeavesTheOldModel(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=20m"); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	modelOf(t, dir, 12, 1)
	before := digestsOf(t, dir)
	names := contents(t, dir)
	for _, args := range [][]string{
		{"split", "--in-place", "--max-shard-size", "2MB", dir},
		{"merge", "--in-place", dir},
		{"merge", dir, "-o", filepath.Join(dir, "other.safetensors")},
		{"split", dir, "-o", filepath.Join(dir, "new")},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, nil, &out, &errs, noEnv)
		if code != cli.ExitIO || !strings.Contains(errs.String(), "no space left on device: the new files take 12.00 MiB, ") || strings.Contains(errs.String(), ".tmp-") ||
			!strings.Contains(errs.String(), " free, but 12.00 MiB will be written\n") {
			t.Errorf("%q: exit code %d, %q", args, code, errs.String())
		}
		if len(hidden(t, dir)) > 0 || len(contents(t, dir)) != len(names) || digestsOf(t, dir) != before {
			t.Errorf("%q: the folder has changed", args)
		}
	}
}

// TestReadOnlyModelStays replaces a read-only model in place with every command that can.
func TestReadOnlyModelStays(t *testing.T) {
	dir := t.TempDir()
	modelOf(t, dir, 3, 1)
	for _, name := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	files := slices.Collect(maps.Keys(contents(t, dir)))
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
		if err := os.Chmod(files[i], 0o444); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, dir)
	commands := [][]string{
		{"edit", "--in-place", "--set", "a=b", dir},
		{"edit", "--in-place", "--drop", "t00", dir},
		{"metadata", "--set", "a=b", dir},
		{"merge", "--in-place", dir},
		{"split", "--in-place", "--max-shard-size", "1MB", dir},
	}
	for _, args := range commands {
		for _, more := range [][]string{{"--dry-run"}, nil} {
			args := append(slices.Clone(args), more...)
			var out, errs bytes.Buffer
			var code int
			asNobody(t, func() { code = run(t.Context(), args, nil, &out, &errs, noEnv) })
			want := " is read-only (mode 0444): run `chmod u+w " + dir
			end := " first, or write elsewhere with -o\n"
			if args[0] == "metadata" {
				end = "weigh edit -o\n"
			}
			if code != cli.ExitIO || !strings.Contains(errs.String(), want) || !strings.HasSuffix(errs.String(), end) {
				t.Errorf("%q: exit code %d, %q", args, code, errs.String())
			}
			if !maps.Equal(before, contents(t, dir)) {
				t.Fatalf("%q: the folder has changed", args)
			}
		}
	}
}

// asNobody calls f on a thread that does not have the rights of root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() == 0 {
		const nobody = 65534
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		syscall.Setfsuid(nobody)
		defer syscall.Setfsuid(0)
	}
	f()
}
