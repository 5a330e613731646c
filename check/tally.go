// Tallies: many tensors that are at fault in one way, told in one line.

package check

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// quote returns a name out of a file so that it can be part of a line.
func quote(name string) string { return wording.Quote(name) }

// count returns n and the noun, in the plural if that is due.
func count[N int | int64](n N, noun string) string { return wording.Count(n, noun) }

// A tally counts tensors that are at fault in one way, and keeps the first.
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

// subject names the tensors as the subject of a sentence, with the verb in the
// form that is due:
//
//	tensor "a" has
//	212 tensors, the first "a", have
func (t *tally) subject(one, several string) string {
	if t.n == 1 {
		return "tensor " + quote(t.first.Name) + " " + one
	}
	return fmt.Sprintf("%s, the first %s, %s", count(t.n, "tensor"), quote(t.first.Name), several)
}

// report records the tally with the shard of its first tensor. What follows the
// subject is made by the format.
func (m *weights) report(rule safetensors.Rule, t *tally, one, several, format string, args ...any) {
	if t.n == 0 {
		return
	}
	m.found(m.shards[t.shard].path).Add(rule, t.first.Name, t.first.Entry, "%s %s", t.subject(one, several), fmt.Sprintf(format, args...))
}
