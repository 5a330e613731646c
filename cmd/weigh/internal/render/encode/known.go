package encode

import (
	"encoding/hex"
	"math"
	"strconv"
)

// HexOf returns a digest as text, nil if there is none.
func HexOf(sum []byte) *string {
	if sum == nil {
		return nil
	}
	text := hex.EncodeToString(sum)
	return &text
}

// Unclear is what a table shows in place of what is not known.
const Unclear = "?"

// Text returns the number as format writes it.
func (k Known) Text(format func(int64) string) string {
	if k < 0 {
		return Unclear
	}
	return format(int64(k))
}

// Cell returns the number for a cell of CSV, which has nothing in it for what is
// not known: spreadsheets add up what they can read.
func (k Known) Cell() string {
	if k < 0 {
		return ""
	}
	return Digits(int64(k))
}

// Plus returns the sum of what is known. Sums saturate, see add.
func Plus(sum int64, k Known) int64 { return Add(sum, max(int64(k), 0)) }

// Add returns a + b, or the largest int64 if that is less. Neither is negative.
// The sizes in a hostile header add up to anything.
func Add(a, b int64) int64 {
	const most = 1<<63 - 1
	if a > most-b {
		return most
	}
	return a + b
}

// Times returns n * count, or the largest int64 if that is less.
func Times(n int64, count int) int64 {
	if n > 0 && int64(count) > (1<<63-1)/n {
		return 1<<63 - 1
	}
	return n * int64(count)
}

// A Hex is a digest in JSON, null if there is none.
type Hex []byte

// MarshalJSON implements json.Marshaler.
func (d Hex) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	return append(hex.AppendEncode([]byte{'"'}, d), '"'), nil
}

// A Known is a number that may be unknown, which -1 stands for; it is null in
// JSON.
type Known int64

const Unknown Known = -1

// MarshalJSON implements json.Marshaler.
func (k Known) MarshalJSON() ([]byte, error) {
	if k < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(k), 10), nil
}

// Dims is a shape. Its numbers are unsigned, for the sake of tensors without
// elements: see safetensors.TensorInfo. It is null in JSON if it is nil, which is
// a shape that could not be read; that of a scalar is [].
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

// Pair is the two ends of a run of bytes. It is null if they are not known.
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

// OrNull returns a text, nil if it is empty.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// List returns the elements of an array, made one by one.
func List[T any](list []T, form func(*T) any) Elements {
	return func(yield func(any) bool) {
		for i := range list {
			if !yield(form(&list[i])) {
				return
			}
		}
	}
}

// A Finite is a float64 in JSON, where what is none is null.
type Finite float64

// MarshalJSON implements json.Marshaler.
func (n Finite) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return AppendFloat(nil, x, 64), nil
	}
	return []byte("null"), nil
}
