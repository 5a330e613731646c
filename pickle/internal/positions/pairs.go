// Two vectors of the same length.

package positions

import "fmt"

// pairs calls yield with the integers at the same index of two vectors, until it returns false.
func pairs(a, b Vector, yield func(x, y int64) bool) error {
	const block = 512
	for first := int64(0); first < min(a.Count, b.Count); first += block {
		x, err := a.from(first).First(block)
		if err != nil {
			return err
		}
		y, err := b.from(first).First(block)
		if err != nil {
			return err
		}
		for i := range min(len(x), len(y)) {
			if !yield(x[i], y[i]) {
				return nil
			}
		}
	}
	return nil
}

// Chosen returns a fault if an integer is not less than most where the other vector is not 0.
func Chosen(what string, at, where Vector, most int64) (fault string, err error) {
	err = pairs(at, where, func(n, used int64) bool {
		if used != 0 && (n < 0 || n >= most) {
			fault = fmt.Sprintf("%s is %d of %d", what, n, most)
		}
		return fault == ""
	})
	return fault, err
}

// Ranges returns a fault if a range that begins at an integer, with the length in the other vector, ends behind most.
func Ranges(what string, begins, lengths Vector, most int64) (fault string, err error) {
	err = pairs(begins, lengths, func(begin, length int64) bool {
		if length < 0 || length > most-begin {
			fault = fmt.Sprintf("%s of %d begins at %d of %d", what, length, begin, most)
		}
		return fault == ""
	})
	return fault, err
}
