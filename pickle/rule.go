// The rules.

package pickle

import (
	"iter"

	"github.com/weightools/safetensors/pickle/internal/rules"
)

// A Rule is the stable name of a reason for a verdict.
type Rule string

// Rules about imports.
const (
	RuleAllowed       Rule = "allowed"
	RuleProfile       Rule = "profile"
	RulePolicyAllow   Rule = "policy-allow"
	RulePolicyDeny    Rule = "policy-deny"
	RuleUnknownImport Rule = "unknown-import"
	RuleDoubtful      Rule = "doubtful-import"
	RuleDangerous     Rule = "dangerous-import"
	RuleDunderGlobal  Rule = "dunder-global"
	RuleAttribute     Rule = "attribute-of-allowed"
	RuleReexport      Rule = "reexported-module"
	RuleResolved      Rule = "resolved-attribute"
	RuleComputed      Rule = "computed-global"
	RuleNotString     Rule = "non-string-global"
	RuleExtension     Rule = "ext-opcode"
)

// Rules about calls and changes to their results.
const (
	RuleComputedCall Rule = "computed-callable"
	RuleCallableArg  Rule = "callable-argument"
	RuleCallArgs     Rule = "call-arguments"
	RuleDynamicClass Rule = "dynamic-class"
	RuleDunderString Rule = "dunder-string"
	RuleBuildImport  Rule = "build-on-import"
	RuleBuildState   Rule = "build-state"
	RuleDunderState  Rule = "dunder-state-key"
	RuleMethodCall   Rule = "method-call"
	RulePersistentID Rule = "persistent-id"
	RuleMemory       Rule = "memory-corruption"
)

// Rules about the pickle itself.
const (
	RuleType      Rule = "type-error"
	RuleUnderflow Rule = "stack-underflow"
	RuleMemoMiss  Rule = "memo-miss"
	RuleParse     Rule = "parse-error"
	RuleTruncated Rule = "truncated"
	RuleNotPickle Rule = "not-pickle"
	RuleNotEmpty  Rule = "stack-not-empty"
	RuleProto     Rule = "bad-proto"
	RuleDuplicate Rule = "duplicate-proto"
	RuleMisplaced Rule = "misplaced-proto"
	RuleNewer     Rule = "opcode-newer-than-proto"
	RuleLiteral   Rule = "non-canonical-literal"
	RuleFrame     Rule = "frame-violation"
	RuleBuffer    Rule = "out-of-band-buffer"
	RuleResource  Rule = "resource"
	RuleBudget    Rule = "over-budget"
	RuleExpansion Rule = "expansion"
	RuleTrailing  Rule = "trailing-data"
	RuleMultiple  Rule = "multiple-pickles"
	RuleRawArray  Rule = "raw-array"
	RuleNested    Rule = "nested-pickle"
	RuleEmbedded  Rule = "embedded-pickle-bytes"
	RuleNestedBox Rule = "nested-archive"
)

// Rules yields all rules, in the order of the documentation.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		rules.Names()(func(name string) bool { return yield(Rule(name)) })
	}
}

// Text describes the rule in a sentence. It returns "" for an unknown rule.
func (r Rule) Text() string { return rules.Text(string(r)) }
