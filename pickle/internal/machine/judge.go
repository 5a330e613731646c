// The Judge interface, through which the machine reports.

package machine

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// The names of the faults that the machine reports. They are rules of package pickle.
const (
	Computed  = "computed-global"
	NotString = "non-string-global"
	TypeError = "type-error"
	Underflow = "stack-underflow"
	MemoMiss  = "memo-miss"
	Parse     = "parse-error"
	Truncated = "truncated"
	NotEmpty  = "stack-not-empty"
	BadProto  = "bad-proto"
	Duplicate = "duplicate-proto"
	Misplaced = "misplaced-proto"
	Newer     = "opcode-newer-than-proto"
	Literal   = "non-canonical-literal"
	Buffer    = "out-of-band-buffer"
	Resource  = "resource"
	Expansion = "expansion"
)

// A Judge receives everything that a loader would do except creating values, in order. It can read the machine's
// values and add to them.
type Judge interface {
	// Global reports the import of a GLOBAL or INST, and returns the value of the import. The slices are valid only
	// during the call.
	Global(module, name []byte) heap.Ref

	// StackGlobal reports the import of a STACK_GLOBAL, and returns the value of the import.
	StackGlobal(module, name string) heap.Ref

	// Extension reports the use of a code of the extension registry and returns its value.
	Extension(code int64) heap.Ref

	// Call reports a call. It returns the value of the result if that is known, else heap.Unknown.
	Call(result, callee, args, kwargs heap.Ref) heap.Ref

	// IsString reports whether an import or the result of a call may be a str.
	IsString(value heap.Ref) bool

	// Build reports a state that is set on an object that is not a plain value.
	Build(object, state heap.Ref)

	// Append reports items that are added to an object that is not a plain value, as if it were of the given kind.
	Append(object heap.Ref, as heap.Kind)

	// Persistent reports an ID that is not one of PyTorch's.
	Persistent(id heap.Ref)

	// Text reports a text that may have other contents: b is its head, off and size locate it in the file.
	Text(text heap.Ref, b []byte, off, size int64)

	// Decoded reports a text that may have other contents and is not stored literally in the file.
	Decoded(text heap.Ref, b []byte)

	// Note reports a fault.
	Note(rule string, level names.Level, off int64, format string, args ...any)

	// Stop gives the reason why a loader reads no further.
	Stop(reason string)

	// Limit reports that one of our limits ends the analysis.
	Limit(off int64, format string, args ...any)

	// Taken returns the number of bytes that the judge uses.
	Taken() int64
}
