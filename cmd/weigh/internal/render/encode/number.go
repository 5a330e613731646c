package encode

import (
	"math"
	"strconv"
)

// AppendFloat appends a finite x with the fewest digits that identify it among floats of so many
// bits.
func AppendFloat(b []byte, x float64, bits int) []byte {
	form := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, x, form, -1, bits)
}
