// Slices against the most naive way to make them: element by element.

package safetensors_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// naive returns the bytes of a slice, taken element by element from the data of
// a tensor. It knows the notation, less the ellipsis, and nothing else of ours.
func naive(t testing.TB, data []byte, d safetensors.Dtype, shape []int64, text string) []byte {
	t.Helper()
	items := strings.Split(text, ",")
	numbers := []int64{0}
	for axis, dim := range shape {
		indices := indicesOf(t, ":", dim)
		if axis < len(items) && text != "" {
			indices = indicesOf(t, items[axis], dim)
		}
		next := make([]int64, 0, len(numbers)*len(indices))
		for _, n := range numbers {
			for _, i := range indices {
				next = append(next, n*dim+i)
			}
		}
		numbers = next
	}
	width := int64(d.Bits())
	if width < 8 {
		patterns := make([]byte, len(numbers))
		for i, n := range numbers {
			patterns[i] = patternAt(data, n*width, width)
		}
		return packBits(patterns, d.Bits())
	}
	var b []byte
	for _, n := range numbers {
		b = append(b, data[n*width/8:(n+1)*width/8]...)
	}
	return b
}

// patternAt returns the bits from the given one on.
func patternAt(data []byte, bit, width int64) byte {
	w := uint16(data[bit/8])
	if bit%8+width > 8 {
		w |= uint16(data[bit/8+1]) << 8
	}
	return byte(w >> (bit % 8) & (1<<width - 1))
}

// indicesOf returns the indices that an item of the notation selects.
func indicesOf(t testing.TB, item string, dim int64) (indices []int64) {
	t.Helper()
	fields := strings.Split(strings.TrimSpace(item), ":")
	number := func(i int, or int64) int64 {
		if i >= len(fields) || fields[i] == "" {
			return or
		}
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	start, stop, step := number(0, 0), number(1, dim), number(2, 1)
	if start < 0 {
		start += dim
	}
	if stop < 0 {
		stop += dim
	}
	if len(fields) == 1 {
		return []int64{start}
	}
	for i := max(start, 0); i < min(stop, dim); i += step {
		indices = append(indices, i)
	}
	return indices
}

// A script is bytes that are made into choices, one after the other.
type script struct{ b []byte }

// choose returns a number below n: 0 when there are no bytes left.
func (s *script) choose(n int) int {
	if len(s.b) == 0 {
		return 0
	}
	c := int(s.b[0]) % n
	s.b = s.b[1:]
	return c
}

// item returns a range of an axis, as text.
func (s *script) item(dim int64) string {
	number := func() string { return fmt.Sprint(s.choose(int(2*dim+5)) - int(dim) - 2) }
	switch kind := s.choose(8); {
	case kind == 0:
		return ":"
	case kind == 1 && dim > 0:
		return fmt.Sprint(s.choose(int(2*dim)) - int(dim))
	case kind < 4:
		return ":" + number()
	case kind < 6:
		return number() + "::" + fmt.Sprint(1+s.choose(4))
	}
	return number() + ":" + number() + ":" + fmt.Sprint(1+s.choose(3))
}

// FuzzSlice slices a tensor of any dtype and shape twice, as it is and converted,
// and reads parts of what it gets. The bytes choose everything.
func FuzzSlice(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
	f.Add([]byte{8, 3, 4, 3, 6, 5, 2, 1, 6, 2, 9, 1, 3, 0, 2, 7, 1, 2, 0, 9})
	f.Add([]byte{0, 1, 64, 5, 7, 1, 4, 4, 4})
	f.Add(bytes.Repeat([]byte{6, 1, 200}, 20))
	f.Add(bytes.Repeat([]byte{3, 7, 2, 4}, 9))
	dtypes := slices.Collect(safetensors.Dtypes())
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &script{choices}
		d := dtypes[s.choose(len(dtypes))]
		var shape []int64
		n := int64(1)
		for range s.choose(6) {
			dim := int64(s.choose(9))
			if n*dim > 3000 {
				dim = 1
			}
			shape, n = append(shape, dim), n*dim
		}
		size, ok := d.Size(n)
		if !ok {
			return
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i*31 + i>>8)
		}
		tensors := sources(t, data, d, shape...)
		tensor := tensors[s.choose(len(tensors))]
		for range 2 {
			text := slice(s, shape)
			if d != safetensors.C64 {
				// Every dtype is one of numbers that an F32 can stand for, and
				// four bytes are whole ones, however narrow the elements were.
				wide := mustConvert(t, tensor, safetensors.F32)
				checkReaderAt(t, mustSlice(t, wide, text), naive(t, mustBytes(t, wide), safetensors.F32, shape, text))
			}
			part, err := tensor.Slice(parse(t, text)...)
			if err != nil {
				if d.Bits() >= 8 || !strings.Contains(err.Error(), "do not fill whole bytes") {
					t.Fatalf("%s%v[%s]: %v", d, shape, text, err)
				}
				return
			}
			want := naive(t, data, d, shape, text)
			checkReaderAt(t, part, want)
			tensor, data, shape = part, want, part.Shape
		}
	})
}

// slice returns a slice of a tensor of the given shape, as text.
func slice(s *script, shape []int64) string {
	var items []string
	for axis := range s.choose(len(shape) + 1) {
		items = append(items, s.item(shape[axis]))
	}
	return strings.Join(items, ",")
}

func parse(t testing.TB, text string) []safetensors.Range {
	t.Helper()
	ranges, err := safetensors.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	return ranges
}
