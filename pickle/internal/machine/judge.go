// The judge, and what it is told.

package machine

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// What is noted, by the names that package pickle has for it as rules.
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

// A Judge is told of everything that a loader would do beyond making values, when it
// would do it. It may look at the values of the machine, and add to them.
type Judge interface {
	// Global is told of a GLOBAL or INST, and StackGlobal of a STACK_GLOBAL, which import
	// a name. The slices are valid until it returns. It returns the value of the import.
	Global(module, name []byte) heap.Ref
	StackGlobal(module, name string) heap.Ref

	// Extension is told of a number of the extension registry, and returns its value.
	Extension(code int64) heap.Ref

	// Call is told of a call and what it gives, and returns the value that is known to be
	// the result, heap.Unknown if none is.
	Call(result, callee, args, kwargs heap.Ref) heap.Ref

	// Build is told of a state that is given to an object that was not made of plain
	// values; Append of items that are given to one, as if it were of the kind.
	Build(object, state heap.Ref)
	Append(object heap.Ref, as heap.Kind)

	// Persistent is told of an id that is none of PyTorch's.
	Persistent(id heap.Ref)

	// Text is told of a text that may be more than one: b is its head, and all of it lies
	// at off. Decoded is told of one that stands in the bytes in another form.
	Text(text heap.Ref, b []byte, off, size int64)
	Decoded(text heap.Ref, b []byte)

	// Note is told of a fault; Stop why a loader reads no further; Limit of a limit of ours
	// that was met, after which nothing is looked at.
	Note(rule string, level names.Level, off int64, format string, args ...any)
	Stop(reason string)
	Limit(off int64, format string, args ...any)

	// Taken returns how many bytes it has taken.
	Taken() int64
}
