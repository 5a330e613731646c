// The shapes that a Parser remembers.

package header

// A knownShape is a shape that was read, with its text up to the closing
// bracket as two words, padded with zeros.
type knownShape struct {
	low, high uint64
	size      int     // of the text
	dims      []int64 // nil if the place is free
	elems     uint64  // their product
}

// is reports whether s has that text.
func (s *knownShape) is(low, high uint64, size int) bool {
	return s.low == low && s.high == high && s.size == size && s.dims != nil
}

// knownBits is the binary logarithm of how many shapes are known at once.
const knownBits = 5
