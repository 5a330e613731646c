// The faults that a Parser finds.

package header

import (
	"fmt"
	"slices"
)

// found records that rule is broken.
func (p *Parser) found(rule Rule, tensor string, at Span, format string, args ...any) {
	if p.Fatal != nil && p.Fatal(rule) {
		p.enough = true
	}
	if p.counts[rule]++; p.counts[rule] > MaxOfRule {
		return
	}
	p.faults = append(p.faults, Fault{rule, tensor, at, fmt.Sprintf(format, args...)})
}

// drop forgets the faults of rule after the first n faults.
func (p *Parser) drop(n int, rule Rule) {
	kept := slices.DeleteFunc(p.faults[n:], func(f Fault) bool { return f.Rule == rule })
	p.faults = p.faults[:n+len(kept)]
}

// omitted returns how many faults of each rule were not kept, or nil.
func (p *Parser) omitted() map[Rule]int {
	var omitted map[Rule]int
	for rule, n := range p.counts {
		if n > MaxOfRule {
			if omitted == nil {
				omitted = make(map[Rule]int)
			}
			omitted[Rule(rule)] = n - MaxOfRule
		}
	}
	return omitted
}

// at returns the bytes of the file that are begin to end of the header.
func at(begin, end int) Span {
	return Span{LengthSize + int64(begin), LengthSize + int64(end)}
}
