// Findings: violations of one file as they are found, no more than anyone reads.

package repository

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// maxOfRule is how many violations of one rule are kept for a file, as in packages
// safetensors and checkpoint.
const maxOfRule = 1000

// findings collects the violations of one file.
type findings struct {
	list    []*safetensors.Violation
	counts  map[safetensors.Rule]int
	omitted map[safetensors.Rule]int // how many more there are; nil if none
}

// add records that rule is broken.
func (f *findings) add(rule safetensors.Rule, tensor string, at safetensors.Span, format string, args ...any) {
	if f.counts == nil {
		f.counts = make(map[safetensors.Rule]int)
	}
	if f.counts[rule]++; f.counts[rule] > maxOfRule {
		if f.omitted == nil {
			f.omitted = make(map[safetensors.Rule]int)
		}
		f.omitted[rule]++
		return
	}
	f.list = append(f.list, &safetensors.Violation{Rule: rule, Tensor: tensor, Span: at, Detail: fmt.Sprintf(format, args...)})
}

// report returns what was found, in the order of the bytes at fault.
func (f *findings) report() *safetensors.Report {
	slices.SortStableFunc(f.list, func(a, b *safetensors.Violation) int {
		return cmp.Or(cmp.Compare(a.Span.Begin, b.Span.Begin), cmp.Compare(a.Span.End, b.Span.End))
	})
	return &safetensors.Report{Violations: f.list, Omitted: f.omitted}
}

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
func (m *model) report(rule safetensors.Rule, t *tally, one, several, format string, args ...any) {
	if t.n == 0 {
		return
	}
	m.found(m.shards[t.shard].path).add(rule, t.first.Name, t.first.Entry, "%s %s", t.subject(one, several), fmt.Sprintf(format, args...))
}
