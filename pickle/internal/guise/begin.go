// The search for places where a pickle may start.

package guise

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// costHead is the cost of checking whether a name is dangerous, in instructions.
const costHead = 24

// costLetters is the cost of checking a string that turns out not to be a name.
const costLetters = 8

// HeadSize is the number of bytes that are examined to decide whether a pickle starts.
const HeadSize = 600

// heads are the first bytes of the pickles that a search must find: PROTO, imports, and strings with the names of
// imports. Other opcodes import nothing before one of these follows.
var heads = [256]bool{
	opcode.Proto: true, opcode.Global: true, opcode.Inst: true, opcode.ShortUnicode: true, opcode.BinUnicode: true,
	opcode.Unicode: true, opcode.String: true, opcode.ShortBinString: true, opcode.BinString: true,
	opcode.BinUnicode8: true,
}

// First returns the index among the first n bytes of b where a pickle may start that is worth parsing, or -1. With
// strict, only dangerous names count. cost is the cost of the search in instructions, guesses the part of it that led
// nowhere. The search stops when cost reaches most.
func First(b []byte, n int, strict bool, most int64) (at int, cost, guesses int64) {
	next := 0 // the next index where an import is possible
	for i, c := range b[:n] {
		switch {
		case !heads[c]:
		case (c == byte(opcode.Global) || c == byte(opcode.Inst)) && i < next:
		case !beginsPickle(b[i:]):
			if c == byte(opcode.Global) || c == byte(opcode.Inst) {
				next = afterName(b, i+1)
			} else if identRun(b[min(i+5, len(b)):min(i+5+8, len(b))]) == 8 {
				cost += costLetters
			}
		case worthwhile(b[i:], strict):
			return i, cost, guesses
		default:
			guesses, cost = guesses+costHead, cost+costHead
			if cost >= most {
				return i, cost, guesses
			}
		}
	}
	return -1, cost, guesses
}

// afterName returns the first index from which an import is possible if none starts right before i. All names in a run
// of letters end where the run does, so one check serves the whole run, unless the run exceeds the length of a name.
func afterName(b []byte, i int) int {
	end := i
	for n := identRun(b[end:]); n > 0; n = identRun(b[end:]) {
		end += n
	}
	if end-i < mostIdent {
		return end
	}
	return max(i, end-mostIdent)
}

// worthwhile reports whether a possible pickle should be parsed. Imports must be possibly dangerous, since anything
// found by a search is suspicious anyway.
func worthwhile(b []byte, strict bool) bool {
	switch opcode.Code(b[0]) {
	case opcode.Global, opcode.Inst:
		n := identLine(b[1:])
		name := b[1+n+1:]
		name = name[:identLine(name)]
		return names.MayBeDangerous(b[1:1+n]) || bytes.IndexByte(name, '.') >= 0 || bytes.HasPrefix(name, []byte("__"))
	case opcode.Proto:
		return !strict
	}
	return !strict || names.MayBeDangerous(firstIdent(b[1:]))
}

// firstIdent returns the first dotted name in b with at least two letters.
func firstIdent(b []byte) []byte {
	for len(b) > 1 {
		if n := identRun(b); n > 1 {
			return b[:n]
		}
		b = b[1:]
	}
	return nil
}

// beginsPickle reports whether b looks like the start of a pickle.
func beginsPickle(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	switch opcode.Code(b[0]) {
	case opcode.Proto:
		return b[1] <= 5 && opcode.Code(b[2]).Valid()
	case opcode.Global, opcode.Inst:
		n := identLine(b[1:])
		return n > 0 && identLine(b[1+n+1:]) > 0
	case opcode.Unicode:
		n := escapedRun(b[1:])
		return n > 0 && n+1 < len(b) && b[n+1] == '\n'
	case opcode.String:
		n := escapedRun(b[2:])
		return n > 0 && n+3 < len(b) && b[2+n] == b[1] && (b[1] == '\'' || b[1] == '"') && b[n+3] == '\n'
	case opcode.ShortUnicode, opcode.ShortBinString:
		return isIdent(b[2:], uint64(b[1]))
	case opcode.BinUnicode, opcode.BinString:
		return len(b) > 5 && isIdent(b[5:], uint64(binary.LittleEndian.Uint32(b[1:])))
	case opcode.BinUnicode8:
		return len(b) > 9 && isIdent(b[9:], binary.LittleEndian.Uint64(b[1:]))
	}
	return false
}

// identLine returns the length of the first line of b if it is a dotted name, else 0.
func identLine(b []byte) int {
	if n := identRun(b); n < len(b) && b[n] == '\n' {
		return n
	}
	return 0
}

// mostIdent is the maximum length of a name.
const mostIdent = HeadSize/2 - 8

// identRun returns the length of the dotted name at the start of b.
func identRun(b []byte) int {
	b = b[:min(len(b), mostIdent)]
	for i, c := range b {
		if !(c == '_' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return i
		}
	}
	return len(b)
}

// escapedRun returns the length of the dotted name at the start of b, in which letters may be escaped.
func escapedRun(b []byte) int {
	n := identRun(b)
	for n < len(b) && b[n] == '\\' && n < mostIdent {
		n++
		n += identRun(b[n:])
	}
	return n
}

// isIdent reports whether the first n bytes of b are a dotted name followed by an opcode.
func isIdent(b []byte, n uint64) bool {
	return n > 0 && n < math.MaxUint8 && n < uint64(len(b)) && identRun(b[:n]) == int(n) && opcode.Code(b[n]).Valid()
}
