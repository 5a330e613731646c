// Tiles: fewer reads, the same bytes, and one tensor at a time.

package strided

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// tall is a matrix of 512 rows of 4096 float32s, of 8 MiB, transposed, whose source
// counts its reads.
func tall(t *testing.T, room *Tiles) (*Reader, *counter, []byte) {
	t.Helper()
	const rows, columns = 512, 4096
	data := make([]byte, 4*rows*columns)
	for i := range data {
		data[i] = byte(i*7 + i>>10)
	}
	source := &counter{ReaderAt: bytes.NewReader(data)}
	g := &Reader{Source: source, Width: 4, Size: int64(len(data)), Shape: []int64{columns, rows},
		Stride: []int64{1, columns}}
	if !room.worth(g) {
		t.Fatal("a tile is not worth it")
	}
	g.tiles = room
	return g, source, transposed(data, rows, columns)
}

// TestTileReads: with room for 2 MiB, 1024 of the 4096 columns fit a tile: each of the 512
// rows is read four times. Without, 512 KiB are 256 columns, and it is 16 times.
func TestTileReads(t *testing.T) {
	room := &Tiles{Most: 2 << 20}
	g, source, want := tall(t, room)
	var got bytes.Buffer
	if _, err := io.CopyBuffer(onlyWriter{&got}, io.NewSectionReader(g, 0, g.Size), make([]byte, tileRead)); err != nil ||
		!bytes.Equal(got.Bytes(), want) {
		t.Fatalf("other bytes, %v", err)
	}
	if source.reads != 4*512 || source.bytes != len(want) {
		t.Errorf("%d reads of %d bytes, want %d of %d", source.reads, source.bytes, 4*512, len(want))
	}
	if room.of != nil || room.b != nil {
		t.Error("the room is kept after the last byte")
	}
	if small := (&Reader{Width: 4, Size: 1 << 20, Shape: []int64{512, 512}, Stride: []int64{1, 512}}); room.worth(small) {
		t.Error("a tile is worth it for a tensor that is two reads")
	}
}

// TestTilesAreShared: reads of two tensors in turn, and reads here and there, give the same
// bytes, and not a tile for each.
func TestTilesAreShared(t *testing.T) {
	room := &Tiles{Most: 2 << 20}
	a, sourceA, want := tall(t, room)
	b, sourceB, _ := tall(t, room)
	buf := make([]byte, tileRead)
	for off := int64(0); off < a.Size; off += tileRead {
		for _, g := range []*Reader{a, b} {
			if n, err := g.ReadAt(buf, off); n < len(buf) || !bytes.Equal(buf, want[off:off+tileRead]) {
				t.Fatalf("bytes at %d: %d, %v", off, n, err)
			}
		}
	}
	// At worst each byte is gathered twice.
	if most := 4 * len(want); sourceA.bytes+sourceB.bytes > most {
		t.Errorf("%d bytes were read, want %d at most", sourceA.bytes+sourceB.bytes, most)
	}
	r := rand.New(rand.NewPCG(3, 4))
	sourceA.bytes = 0
	for range 20 {
		off := r.Int64N(a.Size - tileRead)
		part := buf[:r.IntN(tileRead)+1]
		if n, err := a.ReadAt(part, off); n < len(part) || !bytes.Equal(part, want[off:][:n]) {
			t.Fatalf("%d bytes at %d: %v", n, off, err)
		}
	}
	if sourceA.bytes > 20*tileRead {
		t.Errorf("%d bytes were read here and there", sourceA.bytes)
	}
	if n, err := a.ReadAt(buf, a.Size-5); n != 5 || err != io.EOF || !bytes.Equal(buf[:5], want[a.Size-5:]) {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

// transposed returns the elements of four bytes of a matrix column by column.
func transposed(data []byte, rows, columns int) []byte {
	out := make([]byte, 0, len(data))
	for column := range columns {
		for row := range rows {
			at := 4 * (row*columns + column)
			out = append(out, data[at:at+4]...)
		}
	}
	return out
}

// A counter counts reads and what they read.
type counter struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.reads, c.bytes = c.reads+1, c.bytes+len(b)
	return c.ReaderAt.ReadAt(b, off)
}

// An onlyWriter hides what else a writer can do.
type onlyWriter struct{ io.Writer }
