// Values of metadata.

package gguf

import (
	"fmt"
	"math"

	"github.com/weightools/safetensors"
)

// A Kind is the type of a value in the metadata. The numbers are those in files.
type Kind uint32

// The types of values.
const (
	Uint8 Kind = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Bool
	String
	Array
	Uint64
	Int64
	Float64
)

var kinds = [...]struct {
	name string
	size int // in bytes; 0 if it varies
}{
	{"u8", 1}, {"i8", 1}, {"u16", 2}, {"i16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4}, {"bool", 1}, {"string", 0},
	{"array", 0}, {"u64", 8}, {"i64", 8}, {"f64", 8},
}

// String returns the name of the type, such as "u32".
func (k Kind) String() string {
	if k.known() {
		return kinds[k].name
	}
	return fmt.Sprintf("type %d", uint32(k))
}

func (k Kind) known() bool { return k < Kind(len(kinds)) }

// size returns the size in bytes of a value, 0 if it varies.
func (k Kind) size() int { return kinds[k].size }

// A Value is a value of the metadata. Strings of at most 4,096 bytes are in it, up to 16 MiB in all; others and arrays
// stay in the file (see [File.Text] and [File.All]).
type Value struct {
	Kind Kind
	Elem Kind             // of the elements of an array
	Len  int64            // bytes of a string, or elements of an array
	Span safetensors.Span // the bytes of a string, or of the elements of an array, in the file

	bits uint64
	text string
	kept bool // the string is in text
}

// Uint returns a number that is an integer and not negative, of any type.
func (v Value) Uint() (uint64, bool) {
	switch v.Kind {
	case Uint8, Uint16, Uint32, Uint64:
		return v.bits, true
	case Int8, Int16, Int32, Int64:
		return v.bits, int64(v.bits) >= 0
	}
	return 0, false
}

// Int returns a number that is an integer and fits 64 bits with a sign.
func (v Value) Int() (int64, bool) {
	switch v.Kind {
	case Uint8, Uint16, Uint32, Uint64:
		return int64(v.bits), v.bits <= math.MaxInt64
	case Int8, Int16, Int32, Int64:
		return int64(v.bits), true
	}
	return 0, false
}

// Float returns a number that is a float.
func (v Value) Float() (float64, bool) {
	switch v.Kind {
	case Float32:
		return float64(math.Float32frombits(uint32(v.bits))), true
	case Float64:
		return math.Float64frombits(v.bits), true
	}
	return 0, false
}

// Bool returns a bool. Every byte but 0 is true.
func (v Value) Bool() (value, ok bool) { return v.bits != 0, v.Kind == Bool }

// Short returns a string that is in memory.
func (v Value) Short() (string, bool) { return v.text, v.kept }

// mostShort is the length in bytes up to which strings are kept in memory.
const mostShort = 4096

// number returns a value of fixed size, with its sign extended.
func number(k Kind, bits uint64) Value {
	switch k {
	case Int8:
		bits = uint64(int8(bits))
	case Int16:
		bits = uint64(int16(bits))
	case Int32:
		bits = uint64(int32(bits))
	}
	return Value{Kind: k, bits: bits}
}

// A Key is a key of the metadata with its value.
type Key struct {
	Name  string
	Value Value
	Span  safetensors.Span // from the length of the name to the end of the value
}
