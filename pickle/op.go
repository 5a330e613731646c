// Ops: a pickle as a sequence of instructions.

package pickle

import (
	"fmt"
	"io"
	"iter"

	"github.com/weightools/safetensors/internal/pylit"
)

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
		d := newDecoder(r, size)
		var t token
		for d.offset() < d.size {
			if fault := d.next(&t); fault != faultNone {
				yield(Op{Code: t.code, Offset: t.off, End: d.offset()}, d.failure(fault, &t))
				return
			}
			if !yield(d.op(&t), nil) {
				return
			}
		}
	}
}

// op returns the token as it is shown to others.
func (d *decoder) op(t *token) Op {
	op := Op{Code: t.code, Offset: t.off, End: d.offset(), Arg: t.text, Arg2: t.text2, ArgOffset: t.textOff, ArgSize: t.textLen, Int: int64(t.num)}
	switch f := opcodes[t.code].form; {
	case f == formNone:
		return Op{Code: t.code, Offset: t.off, End: t.off + 1}
	case f == formLine || f == formLines:
		op.Int = lineNumber(t)
	case f < formLine:
		op.ArgSize = int64(fixedSizes[f])
		op.ArgOffset = op.End - op.ArgSize
		op.Arg = d.buf[d.i-int(op.ArgSize) : d.i]
	default:
		op.Int = 0
	}
	if opcodes[t.code].form != formLines {
		op.Arg2 = nil
	}
	op.Arg, op.Arg2 = op.Arg[:min(len(op.Arg), maxText)], op.Arg2[:min(len(op.Arg2), maxText)]
	return op
}

// lineNumber returns the number that a line stands for, 0 if it stands for none
// or for one that does not fit.
func lineNumber(t *token) int64 {
	switch t.code {
	case opInt:
		return pylit.Int(t.text).Value
	case opLong:
		return pylit.Long(t.text).Value
	case opGet, opPut:
		return pylit.Index(t.text).Value
	}
	return 0
}

// A SyntaxError says that no instruction stands at an offset.
type SyntaxError struct {
	Offset int64
	Detail string // what stands there
}

// Error returns the error as one line.
func (e *SyntaxError) Error() string { return "pickle: " + e.Detail }

// failure returns a fault as an error.
func (d *decoder) failure(f fault, t *token) error {
	switch f {
	case faultRead:
		return d.err
	case faultTruncated:
		return fmt.Errorf("pickle: %s: %w", d.describe(f, t), io.ErrUnexpectedEOF)
	}
	return &SyntaxError{t.off, d.describe(f, t)}
}

// describe returns a fault as part of a message.
func (d *decoder) describe(f fault, t *token) string {
	switch f {
	case faultTruncated:
		if t.off >= d.size {
			return fmt.Sprintf("the bytes end at %d, before a STOP", d.size)
		}
		return fmt.Sprintf("the %s at %d is cut off by the end at %d", t.code, t.off, d.size)
	case faultLength:
		return fmt.Sprintf("the %s at %d is said to have %d bytes", t.code, t.off, int64(t.num))
	case faultRead:
		return d.err.Error()
	}
	return fmt.Sprintf("the byte 0x%02x at %d is no opcode", byte(t.code), t.off)
}
