// Headers that are legal, or nearly so, and made to cost: what memory they get.

package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// A hostile is a header that is made to cost, and what it may.
type hostile struct {
	name string
	size int // of its text in bytes, nearly
	head string
	part func(b []byte, i int) []byte // appends part i: there are as many as fit
	tail string
	most int // bytes that a part may cost, beside 1.1 times its text
}

// file returns the file of h, which has no data, and the number of its parts.
func (h *hostile) file() (b []byte, parts int) {
	b = append(make([]byte, 8, h.size+1024), h.head...)
	for len(b)-8+len(h.tail) < h.size-6100 || parts == 0 {
		if parts > 0 {
			b = append(b, ',')
		}
		b = h.part(b, parts)
		parts++
	}
	b = append(b, h.tail...)
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)-8))
	return b, parts
}

const (
	smallSize = 10_000_000
	wholeSize = safetensors.MaxHeaderSize

	// What legal headers may cost, as the package comment says.
	perTensor = 128 // bytes, with the order of names
	perDim    = 9   // 8 bytes, and the rest of the block that they are in
	perMember = 128 // 50 bytes, and the same again each time the map grows

	// What headers may cost that are refused: what is found wrong is kept a
	// thousand times, and yet is found each time.
	perFault  = 100 // bytes
	perDouble = 400 // a tensor whose name another has
	perSize   = 512 // a tensor of the wrong size, until it is known not to be replaced
)

// withNumber returns a part with a number of seven hexadecimal digits in it.
func withNumber(before string, number func(i int) int, after string) func([]byte, int) []byte {
	return func(b []byte, i int) []byte {
		b = append(b, before...)
		b = append(b, strconv.FormatInt(int64(0x1000000+number(i)), 16)...)
		return append(b, after...)
	}
}

func same(i int) int { return i }

// repeated returns a part that is always the same.
func repeated(part string) func([]byte, int) []byte {
	return func(b []byte, _ int) []byte { return append(b, part...) }
}

// placed returns a part that is a tensor of two bytes, at begin(i).
func placed(name string, begin func(i int) int) func([]byte, int) []byte {
	return func(b []byte, i int) []byte {
		b = append(append(b, '"'), name...)
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, `":{"dtype":"F16","shape":[1],"data_offsets":[`...)
		b = strconv.AppendInt(b, int64(begin(i)), 10)
		b = strconv.AppendInt(append(b, ','), int64(begin(i)+2), 10)
		return append(b, `]}`...)
	}
}

// hostileTensors are headers of many tensors.
func hostileTensors() []hostile {
	shuffled := rand.New(rand.NewPCG(7, 8)).Perm(smallSize / 50)
	const empty = `":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`
	return []hostile{
		{"a million tensors and more", wholeSize, "{", withNumber(`"`, same, empty), "}", perTensor},
		{"tensors backwards", smallSize, "{", withNumber(`"`, func(i int) int { return smallSize - i }, empty), "}", perTensor},
		{"tensors in no order", smallSize, "{", withNumber(`"`, func(i int) int { return shuffled[i] }, empty), "}", perTensor},
		{"tensors with escaped names", smallSize, "{", withNumber(`"\u00e9`, same, empty), "}", perTensor},
		{"tensors with white space", smallSize, "{", withNumber(` "`, same, strings.ReplaceAll(empty, ":", ": ")), "}", perTensor},
		{"tensors of one name", smallSize, "{", repeated(`"a` + empty), "}", perDouble},
		{"tensors of the wrong size", smallSize, "{", withNumber(`"`, same, `":{"dtype":"U8","shape":[1],"data_offsets":[0,0]}`), "}", perSize},
		{"tensors in one place", smallSize, "{", placed("t", func(int) int { return 0 }), "}", perTensor + perFault},
		{"tensors with their data backwards", smallSize, "{", placed("t", func(i int) int { return 1<<30 - 2*i }), "}", perTensor},
		{"tensors that are misaligned", smallSize, "{", placed("..", func(i int) int { return 2*i + 1 }), "}", perTensor + perFault},
		{"ranks of thousands", smallSize, `{`, withNumber(`"`, same, `":{"dtype":"U8","shape":[`+strings.Repeat("1,", 2999)+`0],"data_offsets":[0,0]}`), `}`, perTensor},
		{"ranks of thousands, all different", smallSize, `{`, func(b []byte, i int) []byte {
			b = strconv.AppendInt(append(b, '"'), int64(i), 10)
			b = append(b, `":{"dtype":"U8","shape":[`...)
			b = strconv.AppendInt(b, int64(i), 10)
			return append(append(b, strings.Repeat(",0", 2999)...), `],"data_offsets":[0,0]}`...)
		}, `}`, perTensor + 3000*perDim},
	}
}

// hostileMembers are headers of few tensors or none, and much else.
func hostileMembers() []hostile {
	const a = `{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],`
	return []hostile{
		{"a rank of millions", smallSize, `{"a":{"dtype":"U8","shape":[`, repeated("0"), `],"data_offsets":[0,0]}}`, perDim},
		{"entries that are numbers", smallSize, "{", withNumber(`"`, same, `":0`), "}", perFault},
		{"unknown members", smallSize, a, withNumber(`"`, same, `":0`), "}}", perFault},
		{"an unknown member that is deep", smallSize, a + `"x":[`, repeated(strings.Repeat("[", 124) + strings.Repeat("]", 124)), "]}}", 0},
		{"an unknown member that is long", smallSize, a + `"x":"`, repeated(strings.Repeat(`\u00e9{`, 1000)), `"}}`, 0},
		{"a number that is long", smallSize, a + `"x":[`, repeated("0." + strings.Repeat("1", 6_000_000)), "]}}", 0},
		{"metadata of one string", smallSize, `{"__metadata__":{"a":"`, repeated(strings.Repeat(`\n{`, 2000)), `"}}`, 0},
		{"metadata of many strings", smallSize, `{"__metadata__":{`, withNumber(`"`, same, `":""`), `}}`, perMember},
		{"metadata of many numbers", smallSize, `{"__metadata__":{`, withNumber(`"`, same, `":0`), `}}`, 2 * perFault},
		{"metadata of one name", smallSize, `{"__metadata__":{`, repeated(`"a":""`), `}}`, perFault},
	}
}

// TestHostile measures what each header costs: all that is allocated, whether
// it is kept or not. Streams cost more, for a buffer that doubles as they come.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 100 MB and more")
	}
	for _, h := range append(hostileTensors(), hostileMembers()...) {
		t.Run(h.name, func(t *testing.T) {
			file, parts := h.file()
			const table = 4 << 20 // the least room for tensors that a large header gets
			most := uint64(len(file)) + uint64(len(file))/10 + uint64(parts*h.most) + table

			before := allocated()
			if _, err := safetensors.Validate(bytes.NewReader(file), int64(len(file))); err != nil {
				t.Fatal(err)
			}
			grown := allocated() - before
			t.Logf("%d parts in %d bytes cost %d bytes: %.2f times the header, or it and %.0f for each part",
				parts, len(file), grown, float64(grown)/float64(len(file)), float64(int64(grown)-int64(len(file)))/float64(parts))
			if grown > most {
				t.Errorf("%d bytes, want %d at most", grown, most)
			}

			before = allocated()
			_, _ = safetensors.ReadHeader(bytes.NewReader(file)) // it may be refused: the cost is the same
			if grown := allocated() - before; grown > most+3*uint64(len(file)) {
				t.Errorf("as a stream %d bytes, want %d at most", grown, most+3*uint64(len(file)))
			}
		})
	}
}
