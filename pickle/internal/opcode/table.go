// The table of all 68 opcodes.

// Package opcode defines the pickle instruction set: the opcode table, and a reader that decodes instructions and their
// arguments. Package machine defines what the instructions do.
package opcode

import "iter"

// A Code is an opcode, the first byte of an instruction.
type Code byte

// The opcodes, by protocol, in the order of Python's pickletools.
const (
	Mark           Code = '('
	Stop           Code = '.'
	Pop            Code = '0'
	Dup            Code = '2'
	Float          Code = 'F'
	Int            Code = 'I'
	Long           Code = 'L'
	None           Code = 'N'
	PersID         Code = 'P'
	Reduce         Code = 'R'
	String         Code = 'S'
	Unicode        Code = 'V'
	Append         Code = 'a'
	Build          Code = 'b'
	Global         Code = 'c'
	Dict           Code = 'd'
	Get            Code = 'g'
	Inst           Code = 'i'
	List           Code = 'l'
	Put            Code = 'p'
	SetItem        Code = 's'
	Tuple          Code = 't'
	EmptyTuple     Code = ')'
	PopMark        Code = '1'
	BinFloat       Code = 'G'
	BinInt         Code = 'J'
	BinInt1        Code = 'K'
	BinInt2        Code = 'M'
	BinPersID      Code = 'Q'
	BinString      Code = 'T'
	ShortBinString Code = 'U'
	BinUnicode     Code = 'X'
	EmptyList      Code = ']'
	Appends        Code = 'e'
	BinGet         Code = 'h'
	LongBinGet     Code = 'j'
	Obj            Code = 'o'
	BinPut         Code = 'q'
	LongBinPut     Code = 'r'
	SetItems       Code = 'u'
	EmptyDict      Code = '}'
	Proto          Code = 0x80
	NewObj         Code = 0x81
	Ext1           Code = 0x82
	Ext2           Code = 0x83
	Ext4           Code = 0x84
	Tuple1         Code = 0x85
	Tuple2         Code = 0x86
	Tuple3         Code = 0x87
	NewTrue        Code = 0x88
	NewFalse       Code = 0x89
	Long1          Code = 0x8a
	Long4          Code = 0x8b
	BinBytes       Code = 'B'
	ShortBinBytes  Code = 'C'
	ShortUnicode   Code = 0x8c
	BinUnicode8    Code = 0x8d
	BinBytes8      Code = 0x8e
	EmptySet       Code = 0x8f
	AddItems       Code = 0x90
	FrozenSet      Code = 0x91
	NewObjEx       Code = 0x92
	StackGlobal    Code = 0x93
	Memoize        Code = 0x94
	Frame          Code = 0x95
	ByteArray8     Code = 0x96
	NextBuffer     Code = 0x97
	ReadonlyBuffer Code = 0x98
)

// A form is the encoding of an argument.
type form uint8

// The forms. Integers are little-endian; the float is big-endian.
const (
	formNone    form = iota
	formU1           // 1 byte
	formU2           // 2 bytes
	formU4           // 4 bytes
	formI4           // 4 bytes, signed
	formU8           // 8 bytes
	formF8           // 8 bytes, a big-endian float64
	formLine         // one line
	formLines        // two lines
	formCount1       // 1 byte of length, then the data
	formCount4       // 4 bytes of length
	formCountI4      // 4 bytes of length, signed
	formCount8       // 8 bytes of length
)

// An entry describes an opcode.
type entry struct {
	name  string // "" if the byte is not an opcode
	proto uint8  // the first protocol with this opcode
	form  form
}

// table is indexed by opcode. It follows the documentation in Python's pickletools.
var table = [256]entry{
	Mark:           {"MARK", 0, formNone},
	Stop:           {"STOP", 0, formNone},
	Pop:            {"POP", 0, formNone},
	Dup:            {"DUP", 0, formNone},
	Float:          {"FLOAT", 0, formLine},
	Int:            {"INT", 0, formLine},
	Long:           {"LONG", 0, formLine},
	None:           {"NONE", 0, formNone},
	PersID:         {"PERSID", 0, formLine},
	Reduce:         {"REDUCE", 0, formNone},
	String:         {"STRING", 0, formLine},
	Unicode:        {"UNICODE", 0, formLine},
	Append:         {"APPEND", 0, formNone},
	Build:          {"BUILD", 0, formNone},
	Global:         {"GLOBAL", 0, formLines},
	Dict:           {"DICT", 0, formNone},
	Get:            {"GET", 0, formLine},
	Inst:           {"INST", 0, formLines},
	List:           {"LIST", 0, formNone},
	Put:            {"PUT", 0, formLine},
	SetItem:        {"SETITEM", 0, formNone},
	Tuple:          {"TUPLE", 0, formNone},
	EmptyTuple:     {"EMPTY_TUPLE", 1, formNone},
	PopMark:        {"POP_MARK", 1, formNone},
	BinFloat:       {"BINFLOAT", 1, formF8},
	BinInt:         {"BININT", 1, formI4},
	BinInt1:        {"BININT1", 1, formU1},
	BinInt2:        {"BININT2", 1, formU2},
	BinPersID:      {"BINPERSID", 1, formNone},
	BinString:      {"BINSTRING", 1, formCount4},
	ShortBinString: {"SHORT_BINSTRING", 1, formCount1},
	BinUnicode:     {"BINUNICODE", 1, formCount4},
	EmptyList:      {"EMPTY_LIST", 1, formNone},
	Appends:        {"APPENDS", 1, formNone},
	BinGet:         {"BINGET", 1, formU1},
	LongBinGet:     {"LONG_BINGET", 1, formU4},
	Obj:            {"OBJ", 1, formNone},
	BinPut:         {"BINPUT", 1, formU1},
	LongBinPut:     {"LONG_BINPUT", 1, formU4},
	SetItems:       {"SETITEMS", 1, formNone},
	EmptyDict:      {"EMPTY_DICT", 1, formNone},
	Proto:          {"PROTO", 2, formU1},
	NewObj:         {"NEWOBJ", 2, formNone},
	Ext1:           {"EXT1", 2, formU1},
	Ext2:           {"EXT2", 2, formU2},
	Ext4:           {"EXT4", 2, formI4},
	Tuple1:         {"TUPLE1", 2, formNone},
	Tuple2:         {"TUPLE2", 2, formNone},
	Tuple3:         {"TUPLE3", 2, formNone},
	NewTrue:        {"NEWTRUE", 2, formNone},
	NewFalse:       {"NEWFALSE", 2, formNone},
	Long1:          {"LONG1", 2, formCount1},
	Long4:          {"LONG4", 2, formCountI4},
	BinBytes:       {"BINBYTES", 3, formCount4},
	ShortBinBytes:  {"SHORT_BINBYTES", 3, formCount1},
	ShortUnicode:   {"SHORT_BINUNICODE", 4, formCount1},
	BinUnicode8:    {"BINUNICODE8", 4, formCount8},
	BinBytes8:      {"BINBYTES8", 4, formCount8},
	EmptySet:       {"EMPTY_SET", 4, formNone},
	AddItems:       {"ADDITEMS", 4, formNone},
	FrozenSet:      {"FROZENSET", 4, formNone},
	NewObjEx:       {"NEWOBJ_EX", 4, formNone},
	StackGlobal:    {"STACK_GLOBAL", 4, formNone},
	Memoize:        {"MEMOIZE", 4, formNone},
	Frame:          {"FRAME", 4, formU8},
	ByteArray8:     {"BYTEARRAY8", 5, formCount8},
	NextBuffer:     {"NEXT_BUFFER", 5, formNone},
	ReadonlyBuffer: {"READONLY_BUFFER", 5, formNone},
}

// All yields the 68 opcodes in ascending order.
func All() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for i := range table {
			if table[i].name != "" && !yield(Code(i)) {
				return
			}
		}
	}
}

// String returns the name of the opcode, such as "STACK_GLOBAL", or "" if c is not one.
func (c Code) String() string { return table[c].name }

// Valid reports whether c is an opcode.
func (c Code) Valid() bool { return table[c].name != "" }

// Counted reports whether the argument is preceded by its length.
func (c Code) Counted() bool { return table[c].form >= formCount1 }

// Proto returns the first protocol with this opcode, 0 to 5.
func (c Code) Proto() int { return int(table[c].proto) }
