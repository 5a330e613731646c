// Files that tests read.

package scan

import (
	"os"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/npy"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// npyArray returns the head of a NumPy array: the magic number, version 1.0, the length of the
// header in two bytes, and the header.
func npyArray(descr, shape string) string {
	header := "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n"
	return npy.Magic + "\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
}
