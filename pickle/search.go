// The search for pickles in other data.

package pickle

import "github.com/weightools/safetensors/pickle/internal/guise"

const (
	// guessLength is the maximum number of instructions of an attempt inside the range of a longer one that failed:
	// enough for an import and a call.
	guessLength = 256

	// guessMost is the maximum number of findings of such an attempt.
	guessMost = 16

	// guessLeast is the minimum number of instructions of a pickle without imports. Shorter ones may be coincidence.
	guessLeast = 5
)

// mostGuesses returns the instruction budget for failed attempts in a file of the given size.
func mostGuesses(size int64) int64 { return 2*size + 1<<20 }

// head returns the first offset from off at which a pickle may start, or the size of the data. A hostile file can
// contain an endless pickle at every byte, so the work of failed attempts is limited. Beyond the limit, the search
// looks only for dangerous names, and stops at a second limit.
func (a *analysis) head(off int64) int64 {
	d := a.m.Reader
	if a.o.NoSweep || a.guesses < -2*d.Size() {
		return d.Size()
	}
	strict := a.guesses < 0
	if strict && !a.gaveUp {
		a.gaveUp = true
		a.all.limit(off, "from %d on, the search was limited to dangerous names", off)
	}
	at, cost, guesses := guise.Search(d, off, strict, a.left)
	a.left, a.guesses = a.left-cost, a.guesses-guesses
	return at
}
