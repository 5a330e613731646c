// Arbitrary names of members of checkpoints.

package torch

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// FuzzMemberNames checks that an archive with any names is read without a panic, and as PyTorch reads it or not at all.
func FuzzMemberNames(f *testing.F) {
	data := proto + vector("0", 6)
	for _, names := range [][3]string{
		{"m/data.pkl", "m/data/0", "m/version"}, {"m/data.pkl", "M/DATA/0", "m/byteorder"}, {"a\\data.pkl", "a/data/0", ""},
		{"m/data.pkl\x00x", "m/data/0", "m/data.pkl"}, {"../m/data.pkl", "../m/data/0", "/"}, {"data.pkl", "data/0", "data"},
		{"m/data.pkl", "m/data/00", "m/.data/0"}, {"\xff/data.pkl", "\xff/data/0", "é/data/0"},
	} {
		f.Add(names[0], names[1], names[2])
	}
	f.Fuzz(func(t *testing.T, first, second, third string) {
		if len(first)+len(second)+len(third) > 3000 {
			return
		}
		b := zipOf(t, zip.Store, member{first, data}, member{second, counting(6)}, member{third, "x"})
		c, err := Open(bytes.NewReader(b), int64(len(b)), &Options{Pickle: &pickle.Options{MaxMemory: 1 << 20}})
		if err != nil {
			return
		}
		for _, tensor := range c.Tensors {
			if tensor.Name == "" && len(c.Tensors) > 1 {
				t.Errorf("%q, %q, %q: a tensor has no name", first, second, third)
			}
		}
	})
}
