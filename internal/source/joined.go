// Tensors that are joined along an axis.

package source

import (
	"io"
	"sort"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Part is one of several tensors that are joined: Run bytes of each round are its own.
type Part struct {
	R   io.ReaderAt
	Run int64
}

// A joined reader takes turns: in each round it has the next run of every part. With one round it is the parts one
// after the other. It has no state.
type joined struct {
	tensor string
	parts  []Part
	ends   []int64 // of the runs, in a round
	size   int64
}

// Joined returns a reader of so many rounds of parts, of which each has some bytes in a round.
func Joined(tensor string, rounds int64, parts []Part) io.ReaderAt {
	j := &joined{tensor: tensor}
	round := int64(0)
	for _, p := range parts {
		if p.Run > 0 {
			round += p.Run
			j.parts, j.ends = append(j.parts, p), append(j.ends, round)
		}
	}
	j.size = round * rounds
	return j
}

// ReadAt implements io.ReaderAt.
func (j *joined) ReadAt(b []byte, off int64) (int, error) {
	b, end := bytesio.Clip(b, off, j.size)
	if len(b) == 0 {
		return 0, end
	}
	round := j.ends[len(j.ends)-1]
	turn, at := off/round, off%round
	i := sort.Search(len(j.ends), func(i int) bool { return j.ends[i] > at })
	for n := 0; n < len(b); {
		part, left := j.parts[i], j.ends[i]-at
		want := b[n : n+int(min(int64(len(b)-n), left))]
		k, err := part.R.ReadAt(want, (turn+1)*part.Run-left)
		if n += k; k < len(want) {
			return n, Early(j.tensor, off+int64(n), err)
		}
		if at += int64(k); at == j.ends[i] {
			i++
		}
		if at == round {
			turn, at, i = turn+1, 0, 0
		}
	}
	return len(b), end
}
