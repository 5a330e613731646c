// Files that are two containers at once, each of which some reader opens.

package scan

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// summed sets the checksum of a tar header.
func summed(h []byte) {
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", headerSum(h)))
}

// headerSum returns the checksum of a tar header, for which its own field is spaces.
func headerSum(h []byte) (sum int64) {
	copy(h[148:156], "        ")
	for _, c := range h[:512] {
		sum += int64(c)
	}
	return sum
}

// gzipWith returns a gzip file of a text with a field of extra bytes after the first twelve.
func gzipWith(t testing.TB, text string, extra []byte) []byte {
	t.Helper()
	b := bytes.NewBuffer([]byte("\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff"))
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(extra))))
	b.Write(extra)
	w, _ := flate.NewWriter(b, 9)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	b.WriteString("12345678")
	return b.Bytes()
}

// noise returns bytes that cannot be compressed.
func noise() string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 2000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

func TestContainersAtOnce(t *testing.T) {
	hidden := string(gzipped(t, evil)) // so that no search for instructions finds it
	gzipTar := gzipWith(t, hidden, make([]byte, 1012))
	summed(gzipTar)
	gzipZip := func() []byte {
		z := deflated(t, file{"x", hidden})
		b := gzipWith(t, benign, z)
		end := 12 + len(z)
		binary.LittleEndian.PutUint16(b[end-2:], uint16(len(b)-end)) // the rest is the comment of the archive
		return b
	}()
	zipTar := tarred(t, file{"first", ""}, file{"x", hidden})
	copy(zipTar, "PK\x03\x04")
	summed(zipTar)
	tarZip := func() []byte { // an end record in the header of the last member, for a directory in the first one
		z := deflated(t, file{"x", hidden})
		b := tarred(t, file{"a", string(z[:len(z)-22])}, file{"b", ""})
		at := bytes.LastIndex(b, []byte("ustar\x00")) - 257
		record := slices.Clone(z[len(z)-22:])
		binary.LittleEndian.PutUint32(record[16:], binary.LittleEndian.Uint32(record[16:])+512)
		binary.LittleEndian.PutUint16(record[20:], uint16(len(b)-at-345-22))
		copy(b[at+345:], record)
		summed(b[at:])
		return b
	}()
	for name, b := range map[string][]byte{"gzip and tar": gzipTar, "gzip and zip": gzipZip, "tar and zip": zipTar} {
		if r := scanned(t, new(Scanner), b, "model.pt"); r.Verdict != pickle.Dangerous {
			t.Errorf("%s: %s, %v: %v", name, r.Format, r.Verdict, r.Findings)
		}
	}
	if r := scanned(t, new(Scanner), tarZip, "model.pt"); r.Verdict < pickle.Suspicious || !strings.Contains(rules(r), "polyglot") {
		t.Errorf("tar with the end of a zip: %s, %v: %v", r.Format, r.Verdict, r.Findings)
	}
	stored := gzipped(t, string(deflated(t, file{"x", strings.Repeat("A", 100) + noise()})))
	if r := scanned(t, new(Scanner), stored, "x.gz"); strings.Contains(rules(r), "polyglot") || !bytes.Contains(stored, []byte("PK\x05\x06")) {
		t.Errorf("a zip in a gzip: %s, %v: %v", r.Format, r.Verdict, r.Findings)
	}
	z := zipped(t, file{"m/data", "text"})
	if r := scanned(t, new(Scanner), tarred(t, file{"z.zip", string(z)}), "x.tar"); strings.Contains(rules(r), "polyglot") {
		t.Errorf("a zip in a tar: %s, %v: %v", r.Format, r.Verdict, r.Findings)
	}
}
