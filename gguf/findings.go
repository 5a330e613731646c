// Collecting violations.

package gguf

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
)

// mostOfRule is the number of violations of each rule that are kept.
const mostOfRule = 1000

// findings are the violations of a file.
type findings struct {
	list       []*safetensors.Violation
	counts     map[safetensors.Rule]int
	incomplete bool // a violation made the rest of the header unreadable
}

// add adds a violation with the severity of its rule.
func (f *findings) add(rule safetensors.Rule, tensor string, at safetensors.Span, format string, args ...any) {
	f.severe(rule, ruleOf(rule).Severity, tensor, at, format, args...)
}

// severe adds a violation with another severity than that of its rule.
func (f *findings) severe(rule safetensors.Rule, s safetensors.Severity, tensor string, at safetensors.Span,
	format string, args ...any) {
	if f.counts == nil {
		f.counts = make(map[safetensors.Rule]int)
	}
	if f.counts[rule]++; f.counts[rule] <= mostOfRule {
		f.list = append(f.list, &safetensors.Violation{Rule: rule, Severity: s, Tensor: tensor, Span: at,
			Detail: fmt.Sprintf(format, args...), Fix: ruleOf(rule).Fix})
	}
}

// sorted returns the violations in the order of the bytes at fault.
func (f *findings) sorted() []*safetensors.Violation {
	slices.SortStableFunc(f.list, func(a, b *safetensors.Violation) int {
		return cmp.Compare(a.Span.Begin,
			b.Span.Begin)
	})
	return f.list
}

// omitted returns how many violations of each rule were not kept, or nil.
func (f *findings) omitted() map[safetensors.Rule]int {
	var omitted map[safetensors.Rule]int
	for rule, n := range f.counts {
		if n > mostOfRule {
			if omitted == nil {
				omitted = make(map[safetensors.Rule]int)
			}
			omitted[rule] = n - mostOfRule
		}
	}
	return omitted
}

func ruleOf(rule safetensors.Rule) safetensors.RuleInfo {
	i := slices.IndexFunc(rules[:], func(r safetensors.RuleInfo) bool { return r.Rule == rule })
	return rules[i]
}

// span returns the bytes from begin to end.
func span(begin, end int64) safetensors.Span { return safetensors.Span{Begin: begin, End: end} }
