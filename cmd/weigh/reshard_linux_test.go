// A disk that is full, which Linux can make.

package main

import (
	"bytes"
	"path/filepath"
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
