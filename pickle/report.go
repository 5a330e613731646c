// Reports: what loading would import and call, and what else was found.

package pickle

import "github.com/weightools/safetensors/pickle/internal/names"

// A Report is what Analyze found. Its parts are in the order of their offsets
// within each stream, and do not depend on anything but the bytes and Options.
type Report struct {
	// Verdict is the worst of all that was found. It is Safe only if Complete.
	Verdict Verdict

	// Complete is whether all bytes were accounted for: every stream ran to its
	// STOP, and no limit was met. Reason says why not, "" if Complete.
	Complete bool
	Reason   string

	// End is the offset after the last stream's STOP: bytes from there on are
	// not part of any pickle.
	End int64

	Streams  []Stream
	Imports  []Import
	Calls    []Call
	Findings []Finding

	// Spent is how much of Options.MaxOpcodes was spent, and Memory how many bytes what
	// was found takes, with the values if they are kept.
	Spent, Memory int64

	// Omitted is how many imports, calls, findings and streams are not listed
	// because Options.MaxReport of their kind are, or a thousand findings of their
	// rule. Verdict counts them.
	Omitted int

	policy *names.Policy // what names were judged by
}

// A Stream is one pickle of possibly many: from its first opcode to its STOP.
type Stream struct {
	Offset  int64 // of the first opcode
	End     int64 // after the last opcode that was read
	Proto   int   // the highest protocol that a PROTO opcode names; 0 if there is none
	Opcodes int64 // how many were read
	Stopped bool  // whether it ended with STOP
}

// An Import is one name that loading would import. The same name imported again
// in one report is the same Import.
type Import struct {
	// Module and Name are as written. For a code of the extension registry
	// (EXT1, EXT2, EXT4), Module is "" and Name is as "EXT 240".
	Module, Name string

	// ResolvedModule and ResolvedName are what Python 3 makes of them: it
	// renames modules of Python 2 in protocols below 3.
	ResolvedModule, ResolvedName string

	Offset  int64  // of the opcode that first imports it
	Opcode  Opcode // GLOBAL, INST, STACK_GLOBAL, EXT1, EXT2, EXT4; REDUCE if getattr resolves to it
	Count   int64  // how often it is imported
	Called  bool   // whether it is called
	Verdict Verdict
	Rule    Rule   // the rule that decided
	Entry   string // the entry of the policy that decided, "" if none matched
}

// A Call is one call that loading would make. Calls of one name that nothing
// speaks against are one Call, with the arguments of the first.
type Call struct {
	Callee  string // the name, or what else is called
	Args    string // the arguments, shortened
	Count   int64  // how often it is called
	Offset  int64  // of the opcode that calls first
	Opcode  Opcode // REDUCE, INST, OBJ, NEWOBJ, NEWOBJ_EX or BUILD
	Verdict Verdict
	Rule    Rule // the rule that decided, "" if none spoke against it
}

// A Finding is something in the bytes that a reader should know.
type Finding struct {
	Rule     Rule
	Severity Severity
	Offset   int64
	Message  string // one line, names quoted

	// Count is how many findings are alike but for where they are, and for numbers:
	// those are one. Also is where the next of them are, 0 where there are no more.
	Count int64
	Also  [3]int64
}

// String returns module and name as one dotted name, and the resolved ones after
// "=>" if they differ, as in "__builtin__.eval=>builtins.eval".
func (im *Import) String() string {
	s := names.Join(im.Module, im.Name)
	if r := names.Join(im.ResolvedModule, im.ResolvedName); r != s {
		return s + "=>" + r
	}
	return s
}
