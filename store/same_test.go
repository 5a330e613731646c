// Readers that are known to have the same bytes.

package store_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors/store"
)

func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("0123456789"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	reader := func(name string) io.ReaderAt {
		o, err := store.Dir(dir).Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { o.Close() })
		return o.ReaderAt(t.Context())
	}
	section := func(name string, off, n int64) io.ReaderAt { return io.NewSectionReader(reader(name), off, n) }
	for _, tt := range []struct {
		name string
		a, b io.ReaderAt
		want bool
	}{
		{"one file, opened twice", reader("a"), reader("a"), true},
		{"two files with equal bytes", reader("a"), reader("b"), false},
		{"one section", section("a", 2, 3), section("a", 2, 3), true},
		{"sections of sections", io.NewSectionReader(section("a", 1, 8), 2, 3), io.NewSectionReader(section("a", 1, 8), 2, 3), true},
		{"two offsets", section("a", 2, 3), section("a", 3, 3), false},
		{"two lengths", section("a", 2, 3), section("a", 2, 4), false},
		{"a section and all", section("a", 0, 10), reader("a"), false},
		{"all and a section", reader("a"), section("a", 0, 10), false},
		{"nothing", nil, nil, false},
	} {
		if got := store.SameBytes(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
