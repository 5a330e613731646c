// Files that tests read.

package scan

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"os"
	"strings"
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

// eachGolden calls yield for each file that real libraries wrote into a file of testdata: its verdict, its name and its
// bytes.
func eachGolden(t *testing.T, name string, yield func(want, name string, b []byte)) {
	t.Helper()
	f, err := os.Open("../testdata/" + name + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		b, err := hex.DecodeString(words[2])
		if err != nil {
			t.Fatal(err)
		}
		yield(words[0], words[1], b)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
}
