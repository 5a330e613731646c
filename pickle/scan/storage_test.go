// Storages: numbers are numbers, whatever format begins with the same bytes.

package scan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// Checkpoints of random numbers, in the byte patterns of several dtypes, and of numbers that are all
// equal.
func TestNumbersAreSafe(t *testing.T) {
	const size, each = 64, 256
	random := rand.New(rand.NewPCG(11, 2))
	for round := range 30 {
		object := "\x80\x02]("
		files := []file{{"m/data.pkl", ""}}
		for i := range each {
			b := make([]byte, size)
			for j := range b {
				b[j] = byte(random.Uint32())
			}
			switch exponent := func() byte { return byte(0x3c+random.IntN(4)) | byte(random.IntN(2))<<7 }; round % 5 {
			case 0:
				b = bytes.Repeat([]byte{byte(i)}, size+40*round)
			case 1: // BF16
				for j := 1; j < size; j += 2 {
					b[j] = exponent()
				}
			case 2: // F32
				for j := 3; j < size; j += 4 {
					b[j] = exponent()
				}
			case 3: // I64
				for j := 2; j < size; j += 8 {
					copy(b[j:], "\x00\x00\x00\x00\x00\x00")
				}
			}
			key := fmt.Sprint(i)
			one := tensorPickle("ByteStorage", key, byte(min(len(b), 255)))
			object += one[2 : len(one)-1]
			if len(b) > 255 {
				b = b[:255]
			}
			files = append(files, file{"m/data/" + key, string(b)})
		}
		files[0].content = object + "e."
		r := scanned(t, new(Scanner), zipped(t, files...), "model.pt")
		if r.Verdict != pickle.Safe || !r.Complete || len(r.Findings) > 0 {
			t.Errorf("round %d: %v, complete %v: %v", round, r.Verdict, r.Complete, r.Findings)
		}
		for _, m := range r.Members {
			if m.Path != "m/data.pkl" && m.Format != formatStorage && m.Format != "json" { // of opening braces
				t.Errorf("round %d: %s is %s", round, m.Path, m.Format)
			}
		}
	}
}
