// Searching: pickles behind bytes that are none.

package pickle

import "github.com/weightools/safetensors/pickle/internal/guise"

const (
	// guessLength is how many instructions an attempt has that begins where a
	// longer one, which came to nothing, has been: enough for an import and a call.
	guessLength = 256

	// guessMost is how many findings of such an attempt are kept.
	guessMost = 16

	// guessLeast is how many a pickle has that imports nothing, to be told from
	// bytes that happen to look like one.
	guessLeast = 5
)

// mostGuesses returns how many instructions attempts may take that come to nothing, of
// so many bytes.
func mostGuesses(size int64) int64 { return 2*size + 1<<20 }

// head returns the offset of the first byte from off on at which a pickle may
// begin, and the size if there is none. Each is an attempt; how many
// instructions attempts may take is limited, for a hostile file can hold a
// pickle without end at every byte. Past the limit, only dangerous names are
// looked for, and not without end either.
func (a *analysis) head(off int64) int64 {
	d := a.m.Reader
	if a.o != nil && a.o.NoSweep || a.guesses < -2*d.Size() {
		return d.Size()
	}
	strict := a.guesses < 0
	if strict && !a.gaveUp {
		a.gaveUp = true
		a.all.limit(off, "from %d on, only dangerous names were searched for", off)
	}
	d.GoTo(off)
	for len(d.Peek(1)) > 0 && a.left > 0 {
		b := d.Peek(int(min(guise.HeadSize, d.Left())))
		n := len(b)
		if int64(n) < d.Left() {
			n = max(n-guise.HeadSize, 1)
		}
		i, cost, guesses := guise.First(b, n, strict, a.left)
		a.left, a.guesses = a.left-cost, a.guesses-guesses
		if i >= 0 {
			a.left -= int64(i) / bytesSearched
			return d.Offset() + int64(i)
		}
		a.left -= int64(n) / bytesSearched
		d.GoTo(d.Offset() + int64(n))
	}
	return d.Offset()
}

// bytesSearched is how many bytes are searched at the cost of one instruction.
const bytesSearched = 16
