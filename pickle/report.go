// Reports: imports, calls and findings.

package pickle

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// A Report is the result of Analyze. Its lists are ordered by stream and offset, and depend only on the input and the
// Options.
type Report struct {
	// Verdict is the worst verdict on anything in the report. It is Safe only if Complete.
	Verdict Verdict

	// Complete reports whether all bytes were analyzed: every stream ended with STOP, and no limit was exceeded. Reason
	// says why not; it is "" if Complete.
	Complete bool
	Reason   string

	// End is the offset after the STOP of the last stream. The bytes after it do not belong to any pickle.
	End int64

	Streams  []Stream
	Imports  []Import
	Calls    []Call
	Findings []Finding

	// Spent is the used part of Options.MaxOpcodes. Memory is the number of bytes used by findings, and by values if
	// they are kept.
	Spent, Memory int64

	// Omitted is the number of imports, calls, findings and streams that are not listed, because of Options.MaxReport
	// or the limit of 1,000 findings per rule. Verdict takes them into account.
	Omitted int

	policy *names.Policy // the policy of the analysis
}

// A Stream is one pickle, from its first opcode to its STOP.
type Stream struct {
	Offset  int64 // offset of the first opcode
	End     int64 // offset after the last instruction
	Proto   int   // the highest protocol in a PROTO instruction, 0 if there is none
	Opcodes int64 // number of instructions
	Stopped bool  // it ended with STOP
}

// An Import is a name that loading would import. A report has one Import for each name.
type Import struct {
	// Module and Name are as written. For codes of the extension registry (EXT1, EXT2, EXT4), Module is "" and Name is,
	// for example, "EXT 240".
	Module, Name string

	// ResolvedModule and ResolvedName are the names that Python 3 uses. It renames Python 2 modules in protocols below
	// 3.
	ResolvedModule, ResolvedName string

	Offset  int64  // offset of the first instruction that imports it
	Opcode  Opcode // GLOBAL, INST, STACK_GLOBAL, EXT1, EXT2, EXT4; REDUCE if getattr resolves to it
	Count   int64  // number of imports
	Called  bool   // it is called
	Verdict Verdict
	Rule    Rule   // the rule that decided
	Entry   string // the policy entry that decided, "" if none did
}

// A Call is a call that loading would make. Safe calls of one name are a single Call, with the arguments of the first.
type Call struct {
	Callee  string // the name, or a description of the called value
	Args    string // the arguments, shortened
	Count   int64  // number of calls
	Offset  int64  // offset of the first call
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

	// Count is the number of merged findings, which differ only in offset and numbers. Also has the offsets of the next
	// ones, 0 for none.
	Count int64
	Also  [3]int64
}

// String returns the dotted name, followed by "=>" and the resolved name if that differs, for example
// "__builtin__.eval=>builtins.eval".
func (im *Import) String() string {
	s := names.Join(im.Module, im.Name)
	if r := names.Join(im.ResolvedModule, im.ResolvedName); r != s {
		return s + "=>" + r
	}
	return s
}

// Join adds the count and offsets of more to n. Equal offsets mean the same finding, from parsing the data in another
// way.
func (n *Finding) Join(more *Finding) {
	if n.Offset == more.Offset {
		return
	}
	for _, off := range append([]int64{more.Offset}, more.Also[:min(more.Count-1, int64(len(more.Also)))]...) {
		if i := n.Count - 1; i < int64(len(n.Also)) {
			n.Also[i] = off
		}
		n.Count++
	}
	n.Count += max(more.Count-1-int64(len(more.Also)), 0)
}

// move adds base to all offsets.
func (n *Finding) move(base int64) {
	n.Offset += base
	for i := range n.Also[:max(min(n.Count-1, int64(len(n.Also))), 0)] {
		n.Also[i] += base
	}
}

// Worst describes the import, finding or call that determines the verdict, in a few words.
func (r *Report) Worst() string {
	for i := range r.Imports {
		if im := &r.Imports[i]; im.Verdict == r.Verdict {
			return "it imports " + wording.Quote(names.Join(im.ResolvedModule, im.ResolvedName))
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity.Verdict() == r.Verdict {
			return fmt.Sprintf("%s (rule %s)", f.Message, f.Rule)
		}
	}
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Verdict == r.Verdict {
			return "it calls " + wording.Quote(c.Callee)
		}
	}
	return "something in it is " + r.Verdict.String()
}
