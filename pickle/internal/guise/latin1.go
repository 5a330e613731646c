// Bytes in strings of Latin-1.

package guise

// Latin1 encodes s in Latin-1.
func Latin1(s string) []byte {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}
