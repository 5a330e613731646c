// Rules: the one table of what can be found in a pickle.

package pickle

import "iter"

// A Rule is one reason for a verdict, by name. Names do not change.
type Rule string

// The rules about imports.
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

// The rules about calls, and about what is done to their results.
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
)

// The rules about the program.
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

// A law is what the table says of a Rule.
type law struct {
	rule Rule
	text string // what is found, as a sentence
}

var laws = [...]law{
	{RuleAllowed, "The name is on the list of allowed names."},
	{RuleProfile, "The name is allowed by a profile that was turned on."},
	{RulePolicyAllow, "The name is allowed by the policy that was given."},
	{RulePolicyDeny, "The name is denied by the policy that was given."},
	{RuleUnknownImport, "The name is on no list: nobody has audited what importing and calling it does."},
	{RuleDoubtful, "The name is known, and does more than build a value."},
	{RuleDangerous, "The name can run code, start programs, reach files or the network, or reach something that does."},
	{RuleDunderGlobal, "A part of the name begins and ends with two underscores, and so reaches into the interpreter."},
	{RuleAttribute, "The name is a part of an allowed one, which does not make it allowed."},
	{RuleReexport, "The name reaches a dangerous module through another that has imported it."},
	{RuleResolved, "The function only looks up constant names, which are judged themselves."},
	{RuleComputed, "The name to import is computed when the pickle is loaded."},
	{RuleNotString, "The name to import is not a string, which loaders refuse."},
	{RuleExtension, "The import is a number, which a registry outside of the pickle turns into a name."},

	{RuleComputedCall, "What is called is itself the result of a call, or an object of the loader's."},
	{RuleCallableArg, "A function that calls its arguments is given one that is not allowed."},
	{RuleCallArgs, "An allowed name is called with arguments that it is not allowed for."},
	{RuleDynamicClass, "A class is made when the pickle is loaded."},
	{RuleDunderString, "A string that reaches into the interpreter is given to a function that follows it."},
	{RuleBuildImport, "Something imported is changed, and with it the program that loads the pickle."},
	{RuleBuildState, "An object is given a state that its kind does not have."},
	{RuleDunderState, "An object is given an attribute whose name begins and ends with two underscores."},
	{RuleMethodCall, "Adding to an object that is no list, dict or set calls a method of it."},
	{RulePersistentID, "An object is to be found by an id that is not one of PyTorch's."},

	{RuleType, "A value is of a kind that loaders refuse here."},
	{RuleUnderflow, "More is taken from the stack than there is on it."},
	{RuleMemoMiss, "An entry of the memo is read that was never written."},
	{RuleParse, "Something stands where an instruction should, and loaders stop there."},
	{RuleTruncated, "The bytes end before the pickle does."},
	{RuleNotPickle, "The bytes are not a pickle."},
	{RuleNotEmpty, "The pickle ends while there is more on the stack than its result."},
	{RuleProto, "The protocol is none that exists."},
	{RuleDuplicate, "The protocol is said twice."},
	{RuleMisplaced, "The protocol is said after the first instruction."},
	{RuleNewer, "An instruction is newer than the protocol that is said."},
	{RuleLiteral, "A number or string is written as no pickler writes it, and readers differ about it."},
	{RuleFrame, "An instruction goes across the end of its frame, and loaders differ about it."},
	{RuleBuffer, "The pickle needs buffers that are not in it."},
	{RuleResource, "Loading takes more memory or time than the bytes account for, or there are more names than a report lists."},
	{RuleBudget, "Judging the bytes would take more time or memory than it may, and was not done to their end."},
	{RuleExpansion, "Values refer to each other so often that writing them out would take very long."},
	{RuleTrailing, "There are bytes that belong to no pickle."},
	{RuleMultiple, "There is more than one pickle."},
	{RuleRawArray, "There are arrays between the instructions, as joblib writes them."},
	{RuleNested, "A pickle within a string is given to something that may load it."},
	{RuleEmbedded, "There is a pickle within a string, which loading leaves alone."},
	{RuleNestedBox, "There is an archive within a string."},
}

// Rules yields every rule, in the order of the table.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range laws {
			if !yield(laws[i].rule) {
				return
			}
		}
	}
}

// Text returns what r says, as a sentence, "" if there is no such rule.
func (r Rule) Text() string {
	for i := range laws {
		if laws[i].rule == r {
			return laws[i].text
		}
	}
	return ""
}
