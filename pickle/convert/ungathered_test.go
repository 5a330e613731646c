// Checkpoints whose weights were not gathered.

package convert

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// arrays writes an archive of float32 zeros, as numpy.savez does: see numpy.lib.format for the header.
func arrays(t *testing.T, lengths map[string]int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.npz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for member, n := range lengths {
		header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", n)
		header += strings.Repeat(" ", 117-len(header)) + "\n"
		entry, err := w.CreateHeader(&zip.FileHeader{Name: member + ".npy"})
		if err == nil {
			_, err = fmt.Fprintf(entry, "\x93NUMPY\x01\x00\x76\x00%s%s", header, strings.Repeat("\x00", 4*n))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// What DeepSpeed ZeRO-3 saves without gathering is no model, and converting it would hide that. An empty tensor that is
// no weight is nothing to complain of.
func TestUngathered(t *testing.T) {
	for want, lengths := range map[string]map[string]int{
		`tensor "a.weight" is a weight of shape [0]: DeepSpeed ZeRO-3`: {"a.weight": 0, "b.weight": 4},
		`2 tensors, the first "`: {"a.weight": 0, "b.weight": 0},
		"":                       {"a.weight": 4, "position_ids": 0},
	} {
		target := filepath.Join(t.TempDir(), "new.safetensors")
		if want == "" {
			p, err := new(Conversion).Plan(t.Context(), arrays(t, lengths), target)
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
			continue
		}
		err := refused(t, t.Context(), new(Conversion), arrays(t, lengths), target)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "zero_to_fp32.py") {
			t.Errorf("%v: error %v", lengths, err)
		}
	}
}
