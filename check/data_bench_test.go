// How fast the data is read and judged, with a digest and without.

package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

func BenchmarkData(b *testing.B) {
	const tensors, rows = 8, 4096 // 8 MiB each
	var all []tensor
	for i := range tensors {
		all = append(all, tensor{string(rune('a'+i)) + ".weight", safetensors.BF16, []int64{rows, 1024}, nil})
	}
	content := file(b, true, all...)
	for _, record := range []string{"", "revision\n" + sha256Of(content) + "\n1\n"} {
		name := "counted"
		dir := b.TempDir()
		if record != "" {
			name = "digested"
			at := filepath.Join(dir, ".cache", "huggingface", "download")
			if err := os.MkdirAll(at, 0o777); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "model.safetensors.metadata"), []byte(record), 0o666); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), content, 0o666); err != nil {
			b.Fatal(err)
		}
		sets, err := checkpoint.Discover(b.Context(), store.Dir(dir), "", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				for r, err := range check.Validate(b.Context(), store.Dir(dir), "", sets, &check.Options{Data: true}) {
					b.Fatal(r.Violations, err)
				}
			}
		})
	}
}
