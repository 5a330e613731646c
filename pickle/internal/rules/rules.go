// The texts of the rules.

// Package rules describes the rules of package pickle: the stable names of the reasons for a verdict.
package rules

import "iter"

// table has all rules, in the order of the documentation.
var table = [...]struct {
	name string
	text string // a sentence
}{
	{"allowed", "The name is on the allow list."},
	{"profile", "The name is allowed by an enabled profile."},
	{"policy-allow", "The name is allowed by the policy."},
	{"policy-deny", "The name is denied by the policy."},
	{"unknown-import", "The name is on no list, so the effect of importing and calling it is unknown."},
	{"doubtful-import", "The name is known to do more than build a value."},
	{"dangerous-import",
		"The name can run code, start programs, access files or the network, or lead to such a function."},
	{"dunder-global", "A part of the name starts and ends with two underscores and gives access to the interpreter."},
	{"attribute-of-allowed", "The name is an attribute of an allowed name, but not allowed itself."},
	{"reexported-module", "The name reaches a dangerous module through a module that imports it."},
	{"resolved-attribute", "The function only looks up constant names, which are checked separately."},
	{"computed-global", "The name to import is computed while the pickle is loaded."},
	{"non-string-global", "The name to import is not a string; loaders refuse it."},
	{"ext-opcode", "The import is a code that a registry outside the pickle maps to a name."},

	{"computed-callable", "The called value is the result of a call, or an object that the loader provides."},
	{"callable-argument", "A function that calls its arguments receives one that is not allowed."},
	{"call-arguments", "An allowed name is called with arguments that are not allowed for it."},
	{"dynamic-class", "A class is created while the pickle is loaded."},
	{"dunder-string", "A string that gives access to the interpreter is passed to a function that evaluates it."},
	{"build-on-import", "An imported object is modified, and with it the program that loads the pickle."},
	{"build-state", "An object receives a state that its type does not have."},
	{"dunder-state-key", "An object receives an attribute whose name starts and ends with two underscores."},
	{"method-call", "Adding to an object that is not a list, dict or set calls one of its methods."},
	{"persistent-id", "An object is referenced by an ID that is not a PyTorch storage."},
	{"memory-corruption", "An array, matrix, tree or tensor is not what it says: loading or using it can corrupt memory."},

	{"type-error", "A value has a type that loaders refuse."},
	{"stack-underflow", "An instruction takes more values from the stack than it has."},
	{"memo-miss", "A memo entry is read that was never written."},
	{"parse-error", "Bytes are not a valid instruction; loaders stop there."},
	{"truncated", "The data ends before the pickle does."},
	{"not-pickle", "The data is not a pickle."},
	{"stack-not-empty", "The pickle ends with more values on the stack than its result."},
	{"bad-proto", "The protocol does not exist."},
	{"duplicate-proto", "The protocol is declared twice."},
	{"misplaced-proto", "The protocol is declared after the first instruction."},
	{"opcode-newer-than-proto", "An instruction is newer than the declared protocol."},
	{"non-canonical-literal",
		"A number or string is written in a way that no pickler uses and that loaders read differently."},
	{"frame-violation",
		"An instruction crosses the end of its frame, or the frame goes on after the pickle; loaders read it differently."},
	{"out-of-band-buffer", "The pickle needs out-of-band buffers."},
	{"resource",
		"Loading needs far more memory or time than the file size suggests, or the report omits imported names."},
	{"over-budget", "The analysis exceeded its limit of time or memory and is incomplete."},
	{"expansion", "Values refer to each other so often that printing or copying them takes very long."},
	{"trailing-data", "Bytes do not belong to any pickle."},
	{"multiple-pickles", "There is more than one pickle."},
	{"raw-array", "Array data is stored between instructions, as joblib does."},
	{"nested-pickle", "A pickle in a string is passed to a function that may load it."},
	{"embedded-pickle-bytes", "A string contains a pickle that is not loaded."},
	{"nested-archive", "A string contains an archive."},
}

// Names yields the names of all rules, in the order of the documentation.
func Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range table {
			if !yield(table[i].name) {
				return
			}
		}
	}
}

// Text describes the rule of a name in a sentence. It returns "" for an unknown one.
func Text(name string) string {
	for i := range table {
		if table[i].name == name {
			return table[i].text
		}
	}
	return ""
}
