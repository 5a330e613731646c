// Tallies: many tensors with the same fault, reported in one line.

package rule

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// A Tally counts tensors with the same fault, and keeps the first.
type Tally struct {
	N     int
	First *safetensors.TensorInfo
	Shard int   // of the first
	Bytes int64 // of all
}

// Add counts a tensor of the given shard.
func (t *Tally) Add(ti *safetensors.TensorInfo, shard int) {
	if t.N == 0 {
		t.First, t.Shard = ti, shard
	}
	t.N++
	t.Bytes += max(ti.Size(), 0)
}

// Join adds the tensors of another tally. The first by name remains the first.
func (t *Tally) Join(other *Tally) {
	if t.N == 0 || other.First.Name < t.First.Name {
		t.First, t.Shard = other.First, other.Shard
	}
	t.N += other.N
	t.Bytes += other.Bytes
}

// Subject names the tensors as the subject of a sentence, followed by the verb in the right number:
//
//	tensor "a" has
//	212 tensors, the first "a", have
func (t *Tally) Subject(one, several string) string {
	if t.N == 1 {
		return "tensor " + wording.Quote(t.First.Name) + " " + one
	}
	return fmt.Sprintf("%s, the first %s, %s", wording.Count(t.N, "tensor"), wording.Quote(t.First.Name), several)
}

// SpanOf returns where a value of a configuration is in its file.
func SpanOf(v config.Value) safetensors.Span {
	begin, end := v.Span()
	return safetensors.Span{Begin: int64(begin), End: int64(end)}
}
