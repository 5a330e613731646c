// The rules.

package pickle

import "iter"

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

// ruleTexts is the table of all rules.
var ruleTexts = [...]struct {
	rule Rule
	text string // a sentence
}{
	{RuleAllowed, "The name is on the allow list."},
	{RuleProfile, "The name is allowed by an enabled profile."},
	{RulePolicyAllow, "The name is allowed by the policy."},
	{RulePolicyDeny, "The name is denied by the policy."},
	{RuleUnknownImport, "The name is on no list, so the effect of importing and calling it is unknown."},
	{RuleDoubtful, "The name is known to do more than build a value."},
	{RuleDangerous, "The name can run code, start programs, access files or the network, or lead to such a function."},
	{RuleDunderGlobal, "A part of the name starts and ends with two underscores and gives access to the interpreter."},
	{RuleAttribute, "The name is an attribute of an allowed name, but not allowed itself."},
	{RuleReexport, "The name reaches a dangerous module through a module that imports it."},
	{RuleResolved, "The function only looks up constant names, which are checked separately."},
	{RuleComputed, "The name to import is computed while the pickle is loaded."},
	{RuleNotString, "The name to import is not a string; loaders refuse it."},
	{RuleExtension, "The import is a code that a registry outside the pickle maps to a name."},

	{RuleComputedCall, "The called value is the result of a call, or an object that the loader provides."},
	{RuleCallableArg, "A function that calls its arguments receives one that is not allowed."},
	{RuleCallArgs, "An allowed name is called with arguments that are not allowed for it."},
	{RuleDynamicClass, "A class is created while the pickle is loaded."},
	{RuleDunderString, "A string that gives access to the interpreter is passed to a function that evaluates it."},
	{RuleBuildImport, "An imported object is modified, and with it the program that loads the pickle."},
	{RuleBuildState, "An object receives a state that its type does not have."},
	{RuleDunderState, "An object receives an attribute whose name starts and ends with two underscores."},
	{RuleMethodCall, "Adding to an object that is not a list, dict or set calls one of its methods."},
	{RulePersistentID, "An object is referenced by an ID that is not a PyTorch storage."},
	{RuleMemory, "An array of NumPy is not what it says: loading or using it can corrupt memory."},

	{RuleType, "A value has a type that loaders refuse."},
	{RuleUnderflow, "An instruction takes more values from the stack than it has."},
	{RuleMemoMiss, "A memo entry is read that was never written."},
	{RuleParse, "Bytes are not a valid instruction; loaders stop there."},
	{RuleTruncated, "The data ends before the pickle does."},
	{RuleNotPickle, "The data is not a pickle."},
	{RuleNotEmpty, "The pickle ends with more values on the stack than its result."},
	{RuleProto, "The protocol does not exist."},
	{RuleDuplicate, "The protocol is declared twice."},
	{RuleMisplaced, "The protocol is declared after the first instruction."},
	{RuleNewer, "An instruction is newer than the declared protocol."},
	{RuleLiteral, "A number or string is written in a way that no pickler uses and that loaders read differently."},
	{RuleFrame,
		"An instruction crosses the end of its frame, or the frame goes on after the pickle; loaders read it differently."},
	{RuleBuffer, "The pickle needs out-of-band buffers."},
	{RuleResource,
		"Loading needs far more memory or time than the file size suggests, or the report omits imported names."},
	{RuleBudget, "The analysis exceeded its limit of time or memory and is incomplete."},
	{RuleExpansion, "Values refer to each other so often that printing or copying them takes very long."},
	{RuleTrailing, "Bytes do not belong to any pickle."},
	{RuleMultiple, "There is more than one pickle."},
	{RuleRawArray, "Array data is stored between instructions, as joblib does."},
	{RuleNested, "A pickle in a string is passed to a function that may load it."},
	{RuleEmbedded, "A string contains a pickle that is not loaded."},
	{RuleNestedBox, "A string contains an archive."},
}

// Rules yields all rules, in the order of the documentation.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range ruleTexts {
			if !yield(ruleTexts[i].rule) {
				return
			}
		}
	}
}

// Text describes the rule in a sentence. It returns "" for an unknown rule.
func (r Rule) Text() string {
	for i := range ruleTexts {
		if ruleTexts[i].rule == r {
			return ruleTexts[i].text
		}
	}
	return ""
}
