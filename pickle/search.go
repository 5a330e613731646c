// Searching: pickles behind bytes that are none.

package pickle

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/weightools/safetensors/pickle/internal/names"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

const (
	// guessLength is how many instructions an attempt has that begins where a
	// longer one, which came to nothing, has been: enough for an import and a call.
	guessLength = 256

	// guessMost is how many findings of such an attempt are kept.
	guessMost = 16

	// guessLeast is how many a pickle has that imports nothing, to be told from
	// bytes that happen to look like one.
	guessLeast = 5
)

// mostGuesses returns how many instructions attempts may take that come to nothing, of
// so many bytes.
func mostGuesses(size int64) int64 { return 2*size + 1<<20 }

// costHead is what it costs to look whether a name is dangerous, in instructions.
const costHead = 24

// costLetters is what it costs to look at what may be a name, and is none.
const costLetters = 8

// headSize is how many bytes are looked at to tell whether a pickle begins.
const headSize = 600

// heads are the bytes that a pickle can begin with that has to be found: PROTO,
// imports, and the names of imports. The others, as "]" and "N", begin nothing
// that imports and that is not found further on.
var heads = [256]bool{opcode.Proto: true, opcode.Global: true, opcode.Inst: true, opcode.ShortUnicode: true, opcode.BinUnicode: true,
	opcode.Unicode: true, opcode.String: true, opcode.ShortBinString: true, opcode.BinString: true}

// head returns the offset of the first byte from off on at which a pickle may
// begin, and the size if there is none. Each is an attempt; how many
// instructions attempts may take is limited, for a hostile file can hold a
// pickle without end at every byte. Past the limit, only dangerous names are
// looked for, and not without end either.
func (a *analysis) head(off int64) int64 {
	d := a.m.d
	if a.o != nil && a.o.NoSweep || a.guesses < -2*d.Size() {
		return d.Size()
	}
	strict := a.guesses < 0
	if strict && !a.gaveUp {
		a.gaveUp = true
		a.all.limit(off, "from %d on, only dangerous names were searched for", off)
	}
	d.GoTo(off)
	for len(d.Peek(1)) > 0 && a.left > 0 {
		b := d.Peek(int(min(headSize, d.Left())))
		n := len(b)
		if int64(n) < d.Left() {
			n = max(n-headSize, 1)
		}
		if i := a.headIn(b, n, strict); i >= 0 {
			a.left -= int64(i) / bytesSearched
			return d.Offset() + int64(i)
		}
		a.left -= int64(n) / bytesSearched
		d.GoTo(d.Offset() + int64(n))
	}
	return d.Offset()
}

// bytesSearched is how many bytes are searched at the cost of one instruction.
const bytesSearched = 16

// headIn returns where among the first n bytes of b a pickle may begin, -1 if nowhere.
func (a *analysis) headIn(b []byte, n int, strict bool) int {
	next := 0 // where an import may be that is none so far
	for i, c := range b[:n] {
		switch {
		case !heads[c]:
		case (c == byte(opcode.Global) || c == byte(opcode.Inst)) && i < next:
		case !beginsPickle(b[i:]):
			if c == byte(opcode.Global) || c == byte(opcode.Inst) {
				next = afterName(b, i+1)
			} else if identRun(b[min(i+5, len(b)):min(i+5+8, len(b))]) == 8 {
				a.left -= costLetters
			}
		case a.worthwhile(b[i:], strict):
			return i
		default:
			a.guesses, a.left = a.guesses-costHead, a.left-costHead
			if a.left <= 0 {
				return i // the attempt is not made
			}
		}
	}
	return -1
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
func (a *analysis) worthwhile(b []byte, strict bool) bool {
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
const mostIdent = headSize/2 - 8

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
