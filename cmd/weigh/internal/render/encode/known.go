// Values in JSON.

package encode

import (
	"encoding/hex"
	"math"
	"strconv"
)

// Unclear marks unknown values in tables.
const Unclear = "?"

// Text formats the number, or returns Unclear.
func (k Known) Text(format func(int64) string) string {
	if k < 0 {
		return Unclear
	}
	return format(int64(k))
}

// Cell returns the number for a CSV cell, which is empty if the number is unknown: spreadsheets
// sum up what they can read.
func (k Known) Cell() string {
	if k < 0 {
		return ""
	}
	return Digits(int64(k))
}

// Plus adds a number if it is known. It saturates like Add.
func Plus(sum int64, k Known) int64 { return Add(sum, max(int64(k), 0)) }

// Add returns a + b for numbers that are not negative. It saturates: sizes in hostile headers add
// up to anything.
func Add(a, b int64) int64 {
	const most = 1<<63 - 1
	if a > most-b {
		return most
	}
	return a + b
}

// Times returns n * count, and saturates.
func Times(n int64, count int) int64 {
	if n > 0 && int64(count) > (1<<63-1)/n {
		return 1<<63 - 1
	}
	return n * int64(count)
}

// A Hex is a digest in JSON; null if it is nil.
type Hex []byte

// MarshalJSON implements json.Marshaler.
func (d Hex) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	return append(hex.AppendEncode([]byte{'"'}, d), '"'), nil
}

// A Known is a number that may be unknown, which is -1 in Go and null in JSON.
type Known int64

// Unknown is the number that is not known.
const Unknown Known = -1

// MarshalJSON implements json.Marshaler.
func (k Known) MarshalJSON() ([]byte, error) {
	if k < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(k), 10), nil
}

// Dims is a shape in JSON. Its numbers are unsigned (see safetensors.TensorInfo). A nil Dims,
// whose shape could not be read, is null; that of a scalar is [].
type Dims []int64

// MarshalJSON implements json.Marshaler.
func (d Dims) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	b := []byte{'['}
	for i, n := range d {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return append(b, ']'), nil
}

// Pair is a range of bytes in JSON; null if it is not known.
type Pair struct {
	Begin, End int64
	Known      bool
}

// MarshalJSON implements json.Marshaler.
func (p Pair) MarshalJSON() ([]byte, error) {
	if !p.Known {
		return []byte("null"), nil
	}
	b := strconv.AppendInt([]byte{'['}, p.Begin, 10)
	b = strconv.AppendInt(append(b, ','), p.End, 10)
	return append(b, ']'), nil
}

// OrNull returns nil for an empty string.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Each streams n elements.
func Each(n int, element func(i int) any) Elements {
	return func(yield func(any) bool) {
		for i := range n {
			if !yield(element(i)) {
				return
			}
		}
	}
}

// List streams a list, each element converted by form.
func List[T any](list []T, form func(*T) any) Elements {
	return Each(len(list), func(i int) any { return form(&list[i]) })
}

// A Finite is a float64 in JSON; null if it is not finite.
type Finite float64

// MarshalJSON implements json.Marshaler.
func (n Finite) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return AppendFloat(nil, x, 64), nil
	}
	return []byte("null"), nil
}

// AppendFloat appends a finite x with the fewest digits that identify it among floats of so many
// bits.
func AppendFloat(b []byte, x float64, bits int) []byte {
	form := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, x, form, -1, bits)
}
