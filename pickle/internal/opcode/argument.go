// Arguments, as stored and as Python writes them.

package opcode

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/pylit"
)

// A Written is an argument as stored in the file. Its slices are valid until the next Token.
type Written struct {
	Arg, Arg2 []byte // limited to MaxText bytes
	Off, Size int64  // of all of Arg
	Int       int64  // the number that the argument is or represents, 0 if it does not fit
}

// Written stores the argument of the most recent token in w.
func (d *Reader) Written(t *Token, w *Written) {
	switch f := table[t.Code].form; {
	case f == formNone:
		*w = Written{}
	case f < formLine:
		n := int(fixedSizes[f])
		*w = Written{Arg: d.buf[d.i-n : d.i], Off: d.Offset() - int64(n), Size: int64(n), Int: int64(t.Num)}
	default:
		*w = Written{Arg: t.Text[:min(len(t.Text), MaxText)], Off: t.TextOff, Size: t.TextLen}
		if f == formLine {
			w.Int = lineNumber(t)
		} else if f == formLines {
			w.Arg2 = t.Text2[:min(len(t.Text2), MaxText)]
		}
	}
}

// lineNumber returns the number that a line represents, or 0 if it is not a number or does not fit.
func lineNumber(t *Token) int64 {
	switch t.Code {
	case Int:
		return pylit.Int(t.Text).Value
	case Long:
		return pylit.Long(t.Text).Value
	case Get, Put:
		return pylit.Index(t.Text).Value
	}
	return 0
}

// Argument returns the argument as Python writes it.
func (t *Token) Argument() []byte {
	switch table[t.Code].form {
	case formNone:
		return nil
	case formF8:
		return pylit.AppendFloat(nil, math.Float64frombits(t.Num))
	case formI4:
		return strconv.AppendInt(nil, int64(t.Num), 10)
	case formU1, formU2, formU4, formU8:
		return strconv.AppendUint(nil, t.Num, 10)
	case formLine:
		return t.cut(t.lineArgument())
	case formLines:
		return t.cut(pylit.AppendString(nil, append(append(append([]byte(nil), t.Text...), ' '), t.Text2...)))
	}
	switch t.Code {
	case Long1, Long4:
		if t.TextLen > int64(len(t.Text)) {
			return t.cut([]byte("<int>"))
		}
		return TwosComplement(append([]byte(nil), t.Text...)).Append(nil, 10)
	case BinBytes, ShortBinBytes, BinBytes8:
		return t.cut(pylit.AppendBytes(nil, t.Text))
	case ByteArray8:
		return t.cut(append(pylit.AppendBytes([]byte("bytearray("), t.Text), ')'))
	case BinString, ShortBinString:
		return t.cut(pylit.AppendLatin1(nil, t.Text))
	}
	return t.cut(pylit.AppendString(nil, t.Text))
}

// lineArgument returns the value of a line as Python writes it, or the line as a string if it is invalid.
func (t *Token) lineArgument() []byte {
	var n pylit.Number
	switch t.Code {
	case Int:
		n = pylit.Int(t.Text)
		if n.Bool {
			return []byte([]string{"False", "True"}[n.Value])
		}
	case Long:
		n = pylit.Long(t.Text)
	case Get, Put:
		n = pylit.Index(t.Text)
	case Float:
		if f, _, ok := pylit.Float(t.Text); ok {
			return pylit.AppendFloat(nil, f)
		}
	case String:
		if s, _, ok := pylit.String(t.Text); ok {
			return pylit.AppendLatin1(nil, s)
		}
	case Unicode:
		if s, ok := pylit.RawUnicode(t.Text); ok {
			return pylit.AppendString(nil, s)
		}
	}
	switch {
	case n.Big && n.Base == 10:
		return n.Text
	case n.OK && !n.Big:
		return strconv.AppendInt(nil, n.Value, 10)
	}
	return pylit.AppendString(nil, t.Text)
}

// cut marks an argument as truncated if it is.
func (t *Token) cut(arg []byte) []byte {
	if t.TextLen > int64(len(t.Text)) {
		arg = fmt.Appendf(arg, "... (%s)", wording.Count(t.TextLen, "byte"))
	}
	return arg
}

// TwosComplement decodes little-endian two's complement.
func TwosComplement(b []byte) *big.Int {
	slices.Reverse(b)
	i := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return i
}
