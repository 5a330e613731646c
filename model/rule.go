// Rules: what counts a tensor, as a table.

package model

import (
	"iter"

	"github.com/weightools/safetensors/model/internal/scheme"
)

// RulesVersion is the version of the rules. It changes when a rule counts differently than before, to distinguish
// stored numbers from current ones.
const RulesVersion = 3

// A Rule is the name of the rule that counted a tensor.
type Rule string

// The rules for tensors that are not packed weights.
const (
	RulePlain       Rule = "plain"
	RuleStored      Rule = "stored"
	RuleBookkeeping Rule = "bookkeeping"
	RuleScaleDtype  Rule = "scale-dtype"
	RuleBuffer      Rule = "buffer"
	RuleMask        Rule = "mask"
	RuleIndex       Rule = "index"
	RuleUnknown     Rule = "unknown"
	RuleUnclaimed   Rule = "unclaimed"
	RuleUnreadable  Rule = "unreadable"
)

// general describes these rules; the schemes describe the others.
var general = []struct {
	rule   Rule
	text   string
	source string
}{
	{RulePlain, "Each element is one parameter.", "the definition"},
	{RuleStored, "Each element of a tensor in a type of its format, such as Q4_K of GGUF, is one parameter.",
		"docs/gguf.md of ggml d99724f"},
	{RuleBookkeeping, "Scales, zero points, shapes and tables of packed weights are not parameters.",
		"the schemes below"},
	{RuleScaleDtype, "F8_E8M0 holds powers of two, which are only used as scales.",
		"OCP Microscaling Formats (MX) v1.0, 5.4"},
	{RuleBuffer, "Buffers are not parameters. They are recognized by name, such as position_ids and embed_avg; some names " +
		"are buffers in certain architectures only. A batch norm without num_batches_tracked is frozen: its weight and " +
		"bias are buffers.",
		"register_buffer in transformers 4.57.6 and 5.24.0, diffusers 0.42.1, timm 1.0.31"},
	{RuleMask, "A bias of shape [1, 1, n, n] is a causal mask, not a parameter.",
		"transformers: modeling_gpt2.py, GPT2Attention"},
	{RuleIndex, "Booleans, 64-bit integers, and one-dimensional integers that are not called weights are masks or indices. " +
		"In a model that has nothing else, they count as plain.", "the schemes below"},
	{RuleUnknown, "Integers packed in an unknown way have at most one parameter for each bit, " +
		"and at least one for each element if the tensor is called a weight.", "the definition"},
	{RuleUnclaimed, "An unrecognized tensor beside a packed weight may or may not be parameters, " +
		"so it counts from 0 to all of its elements. A bias counts in full.",
		"the definition"},
	{RuleUnreadable, "A tensor whose shape is invalid or has 2^63-1 elements or more is not counted.", "the definition"},
}

// Rules yields all rules in the order in which they are listed.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range general {
			if !yield(general[i].rule) {
				return
			}
		}
		for i := range scheme.Table {
			if !yield(Rule(scheme.Table[i].Rule)) {
				return
			}
		}
	}
}

// Text returns the rule as a sentence, or "" if the rule does not exist.
func (r Rule) Text() string { text, _ := r.lookup(); return text }

// Source returns the specification that the rule follows, or the program that writes what it counts.
func (r Rule) Source() string { _, source := r.lookup(); return source }

func (r Rule) lookup() (text, source string) {
	for i := range general {
		if general[i].rule == r {
			return general[i].text, general[i].source
		}
	}
	for i := range scheme.Table {
		if s := &scheme.Table[i]; Rule(s.Rule) == r {
			return s.Text, s.Source
		}
	}
	return "", ""
}
