// Collecting violations, up to a limit for each rule.

package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
)

// MaxOfRule is how many violations of one rule are kept, as in package safetensors.
const MaxOfRule = 1000

// Findings collects violations of rules between files. The zero value is empty.
//
// Its methods must not be called by several goroutines at once.
type Findings struct {
	// Rules are the rules of the package that judges.
	Rules []safetensors.RuleInfo

	list    []*safetensors.Violation
	counts  map[safetensors.Rule]int
	omitted map[safetensors.Rule]int // how many more there are; nil if none
}

// Add records a violation of a rule at the given bytes, by a tensor or by none. The format
// makes its detail. The first 1,000 violations of each rule are kept, and the others are
// counted.
func (f *Findings) Add(rule safetensors.Rule, tensor string, at safetensors.Span, format string, args ...any) {
	if f.counts == nil {
		f.counts = make(map[safetensors.Rule]int)
	}
	if f.counts[rule]++; f.counts[rule] > MaxOfRule {
		f.Omit(rule, 1)
		return
	}
	f.list = append(f.list, violation(f.Rules, rule, tensor, at, fmt.Sprintf(format, args...)))
}

// Fix replaces the advice of the violation that was added last.
func (f *Findings) Fix(advice string) {
	if n := len(f.list); n > 0 {
		f.list[n-1].Fix = advice
	}
}

// For names the programs that the violation that was added last is about.
func (f *Findings) For(programs []string) {
	if n := len(f.list); n > 0 {
		f.list[n-1].For = programs
	}
}

// Omit counts n more violations of a rule, which are not kept.
func (f *Findings) Omit(rule safetensors.Rule, n int) {
	if f.omitted == nil {
		f.omitted = make(map[safetensors.Rule]int)
	}
	f.omitted[rule] += n
}

// Take replaces the findings by the violations of a report.
func (f *Findings) Take(r *safetensors.Report) {
	f.list, f.omitted = slices.Clone(r.Violations), maps.Clone(r.Omitted)
}

// Report returns the findings in the order of the bytes at fault, without a header. Those
// that are not about bytes come first, in the order in which they were found.
func (f *Findings) Report() *safetensors.Report {
	slices.SortStableFunc(f.list, func(a, b *safetensors.Violation) int {
		return cmp.Or(cmp.Compare(a.Span.Begin, b.Span.Begin), cmp.Compare(a.Span.End, b.Span.End))
	})
	return &safetensors.Report{Violations: f.list, Omitted: f.omitted}
}
