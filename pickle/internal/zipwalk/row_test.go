package zipwalk

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/weightools/safetensors/internal/bytesio"
)

// item returns an archive as a distributed checkpoint stores a tensor.
func item(pad int) []byte {
	return torchArchive(-1, file{"archive/data.pkl", "\x80\x02N." + strings.Repeat(" ", pad)}, file{"archive/version", "3\n"})
}

func TestRow(t *testing.T) {
	a, b, c := item(0), item(0), item(7)
	shifted := bytes.Clone(c) // its plain record has another position of the directory
	binary.LittleEndian.PutUint32(shifted[len(shifted)-6:], 1)
	for _, tt := range []struct {
		name string
		b    []byte
		want int
	}{
		{"one", a, 0},
		{"two of equal size", join(a, b), 2},
		{"two", join(a, c), 2},
		{"many", join(a, b, c, c, a, c), 6},
		{"bytes before", join([]byte("x"), a, b), 0},
		{"bytes between", join(a, []byte("x"), b), 0},
		{"bytes after", join(a, b, []byte("x")), 0},
		{"other archives", join(two(t), two(t)), 0},
		{"another archive first", join(two(t), a), 0},
		{"cut", join(a, b)[1:], 0},
		{"records that disagree", join(a, shifted), 2}, // a fault of the second archive
		{"empty", nil, 0},
		{"an end record", []byte(sigEnd + strings.Repeat("\x00", 18)), 0},
	} {
		row, err := Row(bytes.NewReader(tt.b), int64(len(tt.b)), 100)
		if err != nil || len(row) != tt.want {
			t.Errorf("%s: %v, %v; want %d archives", tt.name, row, err, tt.want)
		}
		end := int64(0)
		for _, span := range row {
			if span.Begin != end {
				t.Errorf("%s: %v", tt.name, row)
			}
			end = span.End
		}
	}
	if row, _ := Row(bytes.NewReader(join(a, b, c)), int64(len(a)+len(b)+len(c)), 2); row != nil {
		t.Errorf("three archives, of at most two: %v", row)
	}
}

// TestVariantsRow has archives whose offsets, taken for offsets in the file, lead to the directory of another archive
// than the first. PyTorch reads that one from the whole file, with the members of the first.
func TestVariantsRow(t *testing.T) {
	n := 0
	for first := range 60 {
		a := item(first)
		for second := range 60 {
			b := item(second)
			// The offset of the last directory must be in the second archive.
			for _, third := range []int{len(a) + second, len(a) + second + 1, len(a) + second + 90} {
				file := join(a, b, item(third))
				row, err := Row(bytes.NewReader(file), int64(len(file)), 100)
				if err != nil {
					t.Fatal(err)
				}
				e, _ := (&walker{Archive: &Archive{size: int64(len(file))}, window: bytesio.NewWindow(bytes.NewReader(file), int64(len(file)))}).readEnd(int64(len(file)) - endSize)
				at := int(e.claims[0].offset)
				foreign := at < len(file) && bytes.HasPrefix(file[at:], []byte(sigCentral)) && at >= len(a)
				if n++; foreign != (row == nil) {
					t.Errorf("%d, %d, %d: %v; another directory is %v", first, second, third, row, foreign)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}
