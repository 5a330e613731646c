// Opcodes: the one table of all 68.

package pickle

import "iter"

// An Opcode is the byte that begins an instruction.
type Opcode byte

// The opcodes, by protocol and then as Python's pickletools lists them.
const (
	opMark           Opcode = '('
	opStop           Opcode = '.'
	opPop            Opcode = '0'
	opDup            Opcode = '2'
	opFloat          Opcode = 'F'
	opInt            Opcode = 'I'
	opLong           Opcode = 'L'
	opNone           Opcode = 'N'
	opPersID         Opcode = 'P'
	opReduce         Opcode = 'R'
	opString         Opcode = 'S'
	opUnicode        Opcode = 'V'
	opAppend         Opcode = 'a'
	opBuild          Opcode = 'b'
	opGlobal         Opcode = 'c'
	opDict           Opcode = 'd'
	opGet            Opcode = 'g'
	opInst           Opcode = 'i'
	opList           Opcode = 'l'
	opPut            Opcode = 'p'
	opSetItem        Opcode = 's'
	opTuple          Opcode = 't'
	opEmptyTuple     Opcode = ')'
	opPopMark        Opcode = '1'
	opBinFloat       Opcode = 'G'
	opBinInt         Opcode = 'J'
	opBinInt1        Opcode = 'K'
	opBinInt2        Opcode = 'M'
	opBinPersID      Opcode = 'Q'
	opBinString      Opcode = 'T'
	opShortBinString Opcode = 'U'
	opBinUnicode     Opcode = 'X'
	opEmptyList      Opcode = ']'
	opAppends        Opcode = 'e'
	opBinGet         Opcode = 'h'
	opLongBinGet     Opcode = 'j'
	opObj            Opcode = 'o'
	opBinPut         Opcode = 'q'
	opLongBinPut     Opcode = 'r'
	opSetItems       Opcode = 'u'
	opEmptyDict      Opcode = '}'
	opProto          Opcode = 0x80
	opNewObj         Opcode = 0x81
	opExt1           Opcode = 0x82
	opExt2           Opcode = 0x83
	opExt4           Opcode = 0x84
	opTuple1         Opcode = 0x85
	opTuple2         Opcode = 0x86
	opTuple3         Opcode = 0x87
	opNewTrue        Opcode = 0x88
	opNewFalse       Opcode = 0x89
	opLong1          Opcode = 0x8a
	opLong4          Opcode = 0x8b
	opBinBytes       Opcode = 'B'
	opShortBinBytes  Opcode = 'C'
	opShortUnicode   Opcode = 0x8c
	opBinUnicode8    Opcode = 0x8d
	opBinBytes8      Opcode = 0x8e
	opEmptySet       Opcode = 0x8f
	opAddItems       Opcode = 0x90
	opFrozenSet      Opcode = 0x91
	opNewObjEx       Opcode = 0x92
	opStackGlobal    Opcode = 0x93
	opMemoize        Opcode = 0x94
	opFrame          Opcode = 0x95
	opByteArray8     Opcode = 0x96
	opNextBuffer     Opcode = 0x97
	opReadonlyBuffer Opcode = 0x98
)

// A form is how an opcode's argument is written.
type form uint8

// The forms. All integers are little-endian; the float is big-endian.
const (
	formNone    form = iota
	formU1           // 1 byte
	formU2           // 2 bytes
	formU4           // 4 bytes
	formI4           // 4 bytes, signed
	formU8           // 8 bytes
	formF8           // 8 bytes, a big-endian float64
	formLine         // up to a line feed
	formLines        // twice up to a line feed
	formCount1       // 1 byte of length, and so many bytes
	formCount4       // 4 bytes of length
	formCountI4      // 4 bytes of length, signed
	formCount8       // 8 bytes of length
)

// An entry is what the table says of an opcode.
type entry struct {
	name  string // "" if the byte is no opcode
	proto uint8  // the first protocol that has it
	form  form
}

// opcodes is the table, from the documentation strings of Python's pickletools.
var opcodes = [256]entry{
	opMark:           {"MARK", 0, formNone},
	opStop:           {"STOP", 0, formNone},
	opPop:            {"POP", 0, formNone},
	opDup:            {"DUP", 0, formNone},
	opFloat:          {"FLOAT", 0, formLine},
	opInt:            {"INT", 0, formLine},
	opLong:           {"LONG", 0, formLine},
	opNone:           {"NONE", 0, formNone},
	opPersID:         {"PERSID", 0, formLine},
	opReduce:         {"REDUCE", 0, formNone},
	opString:         {"STRING", 0, formLine},
	opUnicode:        {"UNICODE", 0, formLine},
	opAppend:         {"APPEND", 0, formNone},
	opBuild:          {"BUILD", 0, formNone},
	opGlobal:         {"GLOBAL", 0, formLines},
	opDict:           {"DICT", 0, formNone},
	opGet:            {"GET", 0, formLine},
	opInst:           {"INST", 0, formLines},
	opList:           {"LIST", 0, formNone},
	opPut:            {"PUT", 0, formLine},
	opSetItem:        {"SETITEM", 0, formNone},
	opTuple:          {"TUPLE", 0, formNone},
	opEmptyTuple:     {"EMPTY_TUPLE", 1, formNone},
	opPopMark:        {"POP_MARK", 1, formNone},
	opBinFloat:       {"BINFLOAT", 1, formF8},
	opBinInt:         {"BININT", 1, formI4},
	opBinInt1:        {"BININT1", 1, formU1},
	opBinInt2:        {"BININT2", 1, formU2},
	opBinPersID:      {"BINPERSID", 1, formNone},
	opBinString:      {"BINSTRING", 1, formCount4},
	opShortBinString: {"SHORT_BINSTRING", 1, formCount1},
	opBinUnicode:     {"BINUNICODE", 1, formCount4},
	opEmptyList:      {"EMPTY_LIST", 1, formNone},
	opAppends:        {"APPENDS", 1, formNone},
	opBinGet:         {"BINGET", 1, formU1},
	opLongBinGet:     {"LONG_BINGET", 1, formU4},
	opObj:            {"OBJ", 1, formNone},
	opBinPut:         {"BINPUT", 1, formU1},
	opLongBinPut:     {"LONG_BINPUT", 1, formU4},
	opSetItems:       {"SETITEMS", 1, formNone},
	opEmptyDict:      {"EMPTY_DICT", 1, formNone},
	opProto:          {"PROTO", 2, formU1},
	opNewObj:         {"NEWOBJ", 2, formNone},
	opExt1:           {"EXT1", 2, formU1},
	opExt2:           {"EXT2", 2, formU2},
	opExt4:           {"EXT4", 2, formI4},
	opTuple1:         {"TUPLE1", 2, formNone},
	opTuple2:         {"TUPLE2", 2, formNone},
	opTuple3:         {"TUPLE3", 2, formNone},
	opNewTrue:        {"NEWTRUE", 2, formNone},
	opNewFalse:       {"NEWFALSE", 2, formNone},
	opLong1:          {"LONG1", 2, formCount1},
	opLong4:          {"LONG4", 2, formCountI4},
	opBinBytes:       {"BINBYTES", 3, formCount4},
	opShortBinBytes:  {"SHORT_BINBYTES", 3, formCount1},
	opShortUnicode:   {"SHORT_BINUNICODE", 4, formCount1},
	opBinUnicode8:    {"BINUNICODE8", 4, formCount8},
	opBinBytes8:      {"BINBYTES8", 4, formCount8},
	opEmptySet:       {"EMPTY_SET", 4, formNone},
	opAddItems:       {"ADDITEMS", 4, formNone},
	opFrozenSet:      {"FROZENSET", 4, formNone},
	opNewObjEx:       {"NEWOBJ_EX", 4, formNone},
	opStackGlobal:    {"STACK_GLOBAL", 4, formNone},
	opMemoize:        {"MEMOIZE", 4, formNone},
	opFrame:          {"FRAME", 4, formU8},
	opByteArray8:     {"BYTEARRAY8", 5, formCount8},
	opNextBuffer:     {"NEXT_BUFFER", 5, formNone},
	opReadonlyBuffer: {"READONLY_BUFFER", 5, formNone},
}

// Opcodes yields the 68 opcodes in the order of their bytes.
func Opcodes() iter.Seq[Opcode] {
	return func(yield func(Opcode) bool) {
		for i := range opcodes {
			if opcodes[i].name != "" && !yield(Opcode(i)) {
				return
			}
		}
	}
}

// String returns the opcode's name, as in "STACK_GLOBAL", or "" if c is none.
func (c Opcode) String() string { return opcodes[c].name }

// Proto returns the first protocol that has the opcode, 0 to 5.
func (c Opcode) Proto() int { return int(opcodes[c].proto) }
