// Ops: a pickle as a sequence of instructions.

package pickle

import (
	"fmt"
	"io"
	"iter"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// An Opcode is the byte that begins an instruction.
type Opcode byte

// Opcodes yields the 68 opcodes in the order of their bytes.
func Opcodes() iter.Seq[Opcode] {
	return func(yield func(Opcode) bool) {
		for c := range opcode.All() {
			if !yield(Opcode(c)) {
				return
			}
		}
	}
}

// String returns the opcode's name, as in "STACK_GLOBAL", or "" if c is none.
func (c Opcode) String() string { return opcode.Code(c).String() }

// Proto returns the first protocol that has the opcode, 0 to 5.
func (c Opcode) Proto() int { return opcode.Code(c).Proto() }

// An Op is one instruction: an opcode and its argument.
type Op struct {
	Code   Opcode
	Offset int64 // of the opcode
	End    int64 // after the argument

	// Arg is the argument as it stands in the bytes, without its length or its
	// line feed, and Arg2 the second line of GLOBAL and INST. An argument longer
	// than 4,096 bytes is cut off there; ArgOffset and ArgSize say where all of
	// it is. The slices are valid until the next Op.
	Arg, Arg2 []byte
	ArgOffset int64
	ArgSize   int64

	// Int is the argument of an opcode that has a binary integer, and the number
	// that the line of INT, LONG, GET or PUT stands for, 0 if it does not fit.
	// Of BINFLOAT it is the bits of the float64.
	Int int64
}

// Ops yields the instructions of the size bytes behind r, one pickle after
// another, and reads on past each STOP. The sequence ends after the first error:
// of reading, a *SyntaxError where no instruction stands, or one that wraps
// io.ErrUnexpectedEOF where one is cut off.
func Ops(r io.ReaderAt, size int64) iter.Seq2[Op, error] {
	return func(yield func(Op, error) bool) {
		d := opcode.NewReader(r, size)
		var t opcode.Token
		var w opcode.Written
		for d.Offset() < d.Size() {
			if fault := d.Next(&t); fault != opcode.FaultNone {
				yield(Op{Code: Opcode(t.Code), Offset: t.Off, End: d.Offset()}, failure(d, fault, &t))
				return
			}
			d.Written(&t, &w)
			op := Op{Opcode(t.Code), t.Off, d.Offset(), w.Arg, w.Arg2, w.Off, w.Size, w.Int}
			if !yield(op, nil) {
				return
			}
		}
	}
}

// A SyntaxError says that no instruction stands at an offset.
type SyntaxError struct {
	Offset int64
	Detail string // what stands there
}

// Error returns the error as one line.
func (e *SyntaxError) Error() string { return "pickle: " + e.Detail }

// failure returns a fault as an error.
func failure(d *opcode.Reader, f opcode.Fault, t *opcode.Token) error {
	switch f {
	case opcode.FaultRead:
		return d.Err()
	case opcode.FaultTruncated:
		return fmt.Errorf("pickle: %s: %w", d.Describe(f, t), io.ErrUnexpectedEOF)
	}
	return &SyntaxError{t.Off, d.Describe(f, t)}
}
