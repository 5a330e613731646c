// The tables of testdata, which NumPy, ml_dtypes and exact fractions made.

package num

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// goldenLines returns the lines of a file of testdata, in fields.
func goldenLines(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var lines [][]string
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines = append(lines, strings.Fields(s.Text()))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func parseHex(t *testing.T, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// goldenValues returns, for each float of at most 16 bits, the bits of the
// float32 that each pattern is.
func goldenValues(t *testing.T) map[string][]uint32 {
	t.Helper()
	values := map[string][]uint32{}
	for _, line := range goldenLines(t, "decode.txt") {
		name := line[0]
		if at := parseHex(t, line[1]); at != uint64(len(values[name])) {
			t.Fatalf("decode.txt: %s %s is out of order", name, line[1])
		}
		for _, s := range line[2:] {
			values[name] = append(values[name], uint32(parseHex(t, s)))
		}
	}
	for _, line := range goldenLines(t, "decode16.txt.gz") {
		var v uint32
		for _, s := range line[1:] {
			v += uint32(parseHex(t, s))
			values[line[0]] = append(values[line[0]], v)
		}
	}
	if len(values) != 10 {
		t.Fatalf("testdata has the values of %d formats, not of 10", len(values))
	}
	for name, v := range values {
		if want := 1 << For(name).bits; len(v) != want {
			t.Fatalf("testdata has %d values of %s, not %d", len(v), name, want)
		}
	}
	return values
}

// everyPattern returns the elements of c from pattern 0 to the last.
func everyPattern(c *Codec) []byte {
	n := 1 << c.bits
	b := make([]byte, n*c.bits/8)
	var words [1]uint64
	for p := range n {
		words[0] = uint64(p)
		c.store(b, p, words[:])
	}
	return b
}
