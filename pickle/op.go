// Iteration over instructions.

package pickle

import (
	"fmt"
	"io"
	"iter"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// An Opcode is the first byte of an instruction.
type Opcode byte

// Opcodes yields the 68 opcodes in ascending order.
func Opcodes() iter.Seq[Opcode] {
	return func(yield func(Opcode) bool) {
		for c := range opcode.All() {
			if !yield(Opcode(c)) {
				return
			}
		}
	}
}

// String returns the name of the opcode, such as "STACK_GLOBAL", or "" if c is not one.
func (c Opcode) String() string { return opcode.Code(c).String() }

// Proto returns the first protocol with this opcode, 0 to 5.
func (c Opcode) Proto() int { return opcode.Code(c).Proto() }

// An Op is one instruction: an opcode and its argument.
type Op struct {
	Code   Opcode
	Offset int64 // offset of the opcode
	End    int64 // offset after the argument

	// Arg is the argument as stored, without its length or line feed. Arg2 is the second line of GLOBAL and INST. Both
	// are truncated to 4,096 bytes; ArgOffset and ArgSize locate the whole argument. The slices are valid until the
	// next Op.
	Arg, Arg2 []byte
	ArgOffset int64
	ArgSize   int64

	// Int is a binary integer argument, or the number in the line of INT, LONG, GET or PUT; 0 if it does not fit. For
	// BINFLOAT it is the bits of the float64.
	Int int64
}

// Ops yields the instructions of all pickles in the first size bytes of r, continuing after each STOP. The sequence
// ends after the first error: a read error, a *SyntaxError for bytes that are not an instruction, or an error that
// wraps io.ErrUnexpectedEOF for a truncated one.
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

// A SyntaxError reports bytes that are not an instruction.
type SyntaxError struct {
	Offset int64
	Detail string // description of the bytes
}

// Error implements error.
func (e *SyntaxError) Error() string { return "pickle: " + e.Detail }

// failure converts a fault to an error.
func failure(d *opcode.Reader, f opcode.Fault, t *opcode.Token) error {
	switch f {
	case opcode.FaultRead:
		return d.Err()
	case opcode.FaultTruncated:
		return fmt.Errorf("pickle: %s: %w", d.Describe(f, t), io.ErrUnexpectedEOF)
	}
	return &SyntaxError{t.Off, d.Describe(f, t)}
}
