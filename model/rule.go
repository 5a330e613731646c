// Rules: the one table of what counts a tensor, as data.

package model

import "iter"

// RulesVersion is the version of the rules. It changes when a rule changes what it
// counts, so that numbers which were kept can be told from those of today.
const RulesVersion = 2

// A Rule is the name of what counted a tensor.
type Rule string

// The rules that are not those of a scheme of packing.
const (
	RulePlain       Rule = "plain"
	RuleBookkeeping Rule = "bookkeeping"
	RuleScaleDtype  Rule = "scale-dtype"
	RuleBuffer      Rule = "buffer"
	RuleMask        Rule = "mask"
	RuleIndex       Rule = "index"
	RuleUnknown     Rule = "unknown"
	RuleUnreadable  Rule = "unreadable"
)

// laws has what each rule says, the schemes' beside how they count.
var laws = []struct {
	rule Rule
	text string
	from string
}{
	{RulePlain, "Each element is one parameter.", "the definition"},
	{RuleBookkeeping, "Scales, zero points, shapes and tables that come with a packed weight are no parameters.", "the schemes that follow"},
	{RuleScaleDtype, "F8_E8M0 holds powers of two, and so scales of blocks alone.", "OCP Microscaling Formats (MX) v1.0, 5.4"},
	{RuleBuffer, "Buffers that are stored by convention, such as position_ids and running_mean, are not trained, and are no parameters.", "PyTorch: torch.nn.Module.register_buffer"},
	{RuleMask, "A bias of shape [1, 1, n, n] is a causal mask, and no parameter.", "transformers: modeling_gpt2.py, GPT2Attention"},
	{RuleIndex, "Booleans, integers of 64 bits, and rows of integers that are not called weights are masks, indices and counters. In a model that has nothing else, they count as plain.", "the schemes that follow"},
	{RuleUnknown, "What is packed in a way that is not known has at most a parameter for each bit; and at least one for each element if it is called a weight, or else none.", "the definition"},
	{RuleUnreadable, "A tensor whose shape cannot be read, or has more elements than 2^63-1, is not counted.", "the definition"},
}

// Rules yields all rules, in the order in which they are listed.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, l := range laws {
			if !yield(l.rule) {
				return
			}
		}
		for i := range schemes {
			if !yield(schemes[i].rule) {
				return
			}
		}
	}
}

// Text returns what the rule says, as a sentence; "" if there is no such rule.
func (r Rule) Text() string { text, _ := r.law(); return text }

// Source returns where the rule comes from: a specification or, as a rule, the
// program that writes what it counts.
func (r Rule) Source() string { _, from := r.law(); return from }

func (r Rule) law() (text, from string) {
	for _, l := range laws {
		if l.rule == r {
			return l.text, l.from
		}
	}
	for i := range schemes {
		if schemes[i].rule == r {
			return schemes[i].text, schemes[i].from
		}
	}
	return "", ""
}
