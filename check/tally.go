// Tallies: many tensors with the same fault, reported in one line.

package check

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// quote returns a name out of a file for use in a message.
func quote(name string) string { return wording.Quote(name) }

// count returns n and the noun, in the plural if needed.
func count[N int | int64](n N, noun string) string { return wording.Count(n, noun) }

// An end is a tensor and the number of its shard.
type end struct {
	info  *safetensors.TensorInfo
	shard int
}

// A tally counts tensors with the same fault, and keeps the first.
type tally struct {
	n     int
	first *safetensors.TensorInfo
	shard int   // of the first
	bytes int64 // of all
}

// add counts a tensor of the given shard.
func (t *tally) add(ti *safetensors.TensorInfo, shard int) {
	if t.n == 0 {
		t.first, t.shard = ti, shard
	}
	t.n++
	t.bytes += max(ti.Size(), 0)
}

// join adds the tensors of another tally. The first by name remains the first.
func (t *tally) join(other *tally) {
	if t.n == 0 || other.first.Name < t.first.Name {
		t.first, t.shard = other.first, other.shard
	}
	t.n += other.n
	t.bytes += other.bytes
}

// subject names the tensors as the subject of a sentence, followed by the verb in the right number:
//
//	tensor "a" has
//	212 tensors, the first "a", have
func (t *tally) subject(one, several string) string {
	if t.n == 1 {
		return "tensor " + quote(t.first.Name) + " " + one
	}
	return fmt.Sprintf("%s, the first %s, %s", count(t.n, "tensor"), quote(t.first.Name), several)
}
