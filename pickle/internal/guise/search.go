// The search in a whole file.

package guise

import "github.com/weightools/safetensors/pickle/internal/opcode"

// bytesSearched is the number of bytes that are searched at the cost of one instruction.
const bytesSearched = 16

// Search returns the first offset from off where a pickle may start that is worth parsing, or where the search ended:
// at the end of the data, or when cost reached most. strict, cost and guesses are as for First.
func Search(d *opcode.Reader, off int64, strict bool, most int64) (at, cost, guesses int64) {
	d.GoTo(off)
	for len(d.Peek(1)) > 0 && cost < most {
		b := d.Peek(int(min(HeadSize, d.Left())))
		n := len(b)
		if int64(n) < d.Left() {
			n = max(n-HeadSize, 1)
		}
		i, spent, guessed := First(b, n, strict, most-cost)
		cost, guesses = cost+spent, guesses+guessed
		if i >= 0 {
			cost += int64(i) / bytesSearched
			return d.Offset() + int64(i), cost, guesses
		}
		cost += int64(n) / bytesSearched
		d.GoTo(d.Offset() + int64(n))
	}
	return d.Offset(), cost, guesses
}
