// Findings: violations as they are found, no more than anyone reads.

package checkpoint

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// maxOfRule is how many violations of one rule are kept, as in package
// safetensors.
const maxOfRule = 1000

// Findings collects the violations of one file, or of one set, as they are found.
// Add takes the severity and the fix of a violation from Rules, and those of the
// rules of this package and of package safetensors from their own lists.
//
// The zero Findings is empty. Its methods must not be called by several
// goroutines at once.
type Findings struct {
	// Rules are the rules of the package that judges.
	Rules []safetensors.RuleInfo

	list    []*safetensors.Violation
	counts  map[safetensors.Rule]int
	omitted map[safetensors.Rule]int // how many more there are; nil if none
}

// Add records that rule is broken, at the given bytes, by a tensor or by none. The
// detail is worded by the format. Of each rule the first 1,000 violations are kept,
// and the others counted.
func (f *Findings) Add(rule safetensors.Rule, tensor string, at safetensors.Span, format string, args ...any) {
	if f.counts == nil {
		f.counts = make(map[safetensors.Rule]int)
	}
	if f.counts[rule]++; f.counts[rule] > maxOfRule {
		f.omit(rule, 1)
		return
	}
	f.list = append(f.list, violation(f.Rules, rule, tensor, at, fmt.Sprintf(format, args...)))
}

// omit counts n more violations of rule, which are not kept.
func (f *Findings) omit(rule safetensors.Rule, n int) {
	if f.omitted == nil {
		f.omitted = make(map[safetensors.Rule]int)
	}
	f.omitted[rule] += n
}

// take begins with what an earlier report has.
func (f *Findings) take(r *safetensors.Report) {
	f.list, f.omitted = slices.Clone(r.Violations), maps.Clone(r.Omitted)
}

// Report returns what was found, in the order of the bytes at fault, without a
// header. What is not about bytes comes first, in the order in which it was found.
func (f *Findings) Report() *safetensors.Report {
	slices.SortStableFunc(f.list, func(a, b *safetensors.Violation) int {
		return cmp.Or(cmp.Compare(a.Span.Begin, b.Span.Begin), cmp.Compare(a.Span.End, b.Span.End))
	})
	return &safetensors.Report{Violations: f.list, Omitted: f.omitted}
}

// quote returns a name out of a file so that it can be part of a line.
func quote(name string) string { return wording.Quote(name) }

// count returns n and the noun, in the plural if that is due.
func count(n int, noun string) string { return wording.Count(n, noun) }

// atPath returns err as that of doing op to the named file, unless it says so
// already.
func atPath(op, path string, err error) error {
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
