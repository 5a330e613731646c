// Beginnings: where in bytes that are none a pickle may begin.

package guise

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// costHead is what it costs to look whether a name is dangerous, in instructions.
const costHead = 24

// costLetters is what it costs to look at what may be a name, and is none.
const costLetters = 8

// HeadSize is how many bytes are looked at to tell whether a pickle begins.
const HeadSize = 600

// heads are the bytes that a pickle can begin with that has to be found: PROTO,
// imports, and the names of imports. The others, as "]" and "N", begin nothing
// that imports and that is not found further on.
var heads = [256]bool{opcode.Proto: true, opcode.Global: true, opcode.Inst: true, opcode.ShortUnicode: true, opcode.BinUnicode: true,
	opcode.Unicode: true, opcode.String: true, opcode.ShortBinString: true, opcode.BinString: true}

// First returns where among the first n bytes of b a pickle may begin that is worth an
// attempt, -1 if nowhere. If strict, only a dangerous name is. What it costs to look is
// counted in instructions, and what came to nothing apart; at the cost of most it stops at
// an attempt that is not to be made.
func First(b []byte, n int, strict bool, most int64) (at int, cost, guesses int64) {
	next := 0 // where an import may be that is none so far
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

// afterName returns from where on an import can begin, if none does right before i. The
// names in a run of letters end where it does, so that it is one for all of them or none,
// unless the run is too long for those that begin first.
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

// worthwhile is whether what looks like the beginning of a pickle is worth an
// attempt. An import is only if it may be dangerous: what is found by searching is
// suspicious already.
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

// firstIdent returns the first dotted name in b that has two letters or more.
func firstIdent(b []byte) []byte {
	for len(b) > 1 {
		if n := identRun(b); n > 1 {
			return b[:n]
		}
		b = b[1:]
	}
	return nil
}

// beginsPickle is whether b looks like the beginning of a pickle.
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
		return identLine(b[1:]) > 0
	case opcode.String:
		n := identRun(b[2:])
		return n > 0 && n+3 < len(b) && b[2+n] == b[1] && (b[1] == '\'' || b[1] == '"') && b[n+3] == '\n'
	case opcode.ShortUnicode, opcode.ShortBinString:
		return isIdent(b[2:], uint64(b[1]))
	case opcode.BinUnicode, opcode.BinString:
		return len(b) > 5 && isIdent(b[5:], uint64(binary.LittleEndian.Uint32(b[1:])))
	}
	return false
}

// identLine returns the length of the dotted name that is all of the line at the
// start of b, 0 if there is none.
func identLine(b []byte) int {
	if n := identRun(b); n < len(b) && b[n] == '\n' {
		return n
	}
	return 0
}

// mostIdent is how long a name is at most that is looked at.
const mostIdent = HeadSize/2 - 8

// identRun returns how long the dotted name at the start of b is.
func identRun(b []byte) int {
	b = b[:min(len(b), mostIdent)]
	for i, c := range b {
		if !(c == '_' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return i
		}
	}
	return len(b)
}

// isIdent is whether the first n bytes of b are a dotted name, and an opcode
// follows.
func isIdent(b []byte, n uint64) bool {
	return n > 0 && n < math.MaxUint8 && n < uint64(len(b)) && identRun(b[:n]) == int(n) && opcode.Code(b[n]).Valid()
}
